#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs missing Debian packages that building sinter needs, and those named
# as arguments.  Users without the right to install get the command for an
# administrator.
. "${0%/*}/help.sh"
set -eu
want='gcc g++ libc6-dev make pkg-config re2c lemon libcmocka-dev libprotobuf-c-dev
protobuf-c-compiler libonnx-dev libjansson-dev libxxhash-dev libspng-dev libturbojpeg0-dev
graphviz '"$*"
missing=
for p in $want; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $p"
done
[ -z "$missing" ] && exit 0

# refuse WHY: the part left to an administrator.
refuse() {
    cat >&2 <<END
tools/deps.sh: error: packages are missing:$missing
  $1; an administrator runs
    apt-get update && apt-get install -y --no-install-recommends$missing
END
    exit 1
}
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "tools/deps.sh: error: expected a Debian system with dpkg-query and apt-get" >&2
    echo "  elsewhere, install what these packages hold and create BUILD/.deps:$missing" >&2
    exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || refuse "this user is not root, and there is no sudo"
    # Without a terminal nobody can give a password.
    if [ -t 0 ]; then sudo='sudo'; else sudo='sudo -n'; fi
    $sudo true || refuse "this user is not root, and sudo refuses"
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -qq && $sudo apt-get install -y -qq \
        --no-install-recommends $missing >/dev/null; } ||
    refuse "apt-get failed, as it says above"
