#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sysroot.sh ARCH DIR: the libraries that sinter and its tests link with, for
# another Debian architecture, unpacked into DIR.  apt works only in DIR:
# nothing is installed, and the machine's own lists stay as they are.
. "${0%/*}/help.sh"
set -eu
arch=$1 dir=$2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
packages="libcmocka-dev libcmocka0 libprotobuf-c-dev libprotobuf-c1 libjansson-dev libjansson4
    libxxhash-dev libxxhash0 libspng-dev libspng0 libturbojpeg0-dev libturbojpeg0 zlib1g"
# What an older list has unpacked is not enough.
[ "$(cat "$dir/.done" 2>/dev/null)" != "$packages" ] || exit 0
mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs"
: >"$dir/apt/status"
apt() {
    apt-get -qq -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" \
        -o "Dir::State=$dir/apt/state" -o "Dir::State::status=$dir/apt/status" \
        -o "Dir::Cache=$dir/apt/cache" -o APT::Sandbox::User=root "$@"
}
apt update
cd "$dir/debs"
# shellcheck disable=SC2086
apt download $packages
for deb in *.deb; do
    dpkg-deb -x "$deb" "$dir"
done
rm -rf "$dir/debs" "$dir/apt"
echo "$packages" >"$dir/.done"
