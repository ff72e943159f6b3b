#!/bin/sh
# Installs the Debian packages that sinter is built with, where missing, and
# those named as arguments.
set -eu
want='gcc libc6-dev make pkg-config re2c lemon libcmocka-dev libprotobuf-c-dev
protobuf-c-compiler libonnx-dev libjansson-dev libxxhash-dev libpthreadpool-dev
graphviz '"$*"
missing=
for p in $want; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $p"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing" >&2
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
    { $sudo apt-get update -qq && $sudo apt-get install -y -qq \
        --no-install-recommends $missing >/dev/null; }
