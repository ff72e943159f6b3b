#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/deps.sh for users who may not install: its messages and exit code. Fakes
# replace the programs that it calls; nothing is installed.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
for p in sh grep cat; do ln -s "$(command -v $p)" "$tmp/$p"; done

# fake NAME: a program of standard input.
fake() { { echo '#!/bin/sh'; cat; } >"$tmp/$1"; chmod +x "$tmp/$1"; }

# t NAME CODE TEXT ARGS...: exits with CODE and says the line TEXT.
t() {
    name=$1 code=$2 text=$3
    shift 3
    : >"$tmp/calls"
    PATH=$tmp CALLS=$tmp/calls sh tools/deps.sh "$@" >"$tmp/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne "$code" ] || ! grep -qxF -- "$text" "$tmp/out"; then
        echo "not ok deps $name: exit $rc, expected $code and '$text'"
        sed 's/^/    /' "$tmp/out"
        bad=1
    else
        echo "ok deps $name"
    fi
}
none() { # NAME: apt-get was not called
    if grep -q . "$tmp/calls"; then
        echo "not ok deps $1: called $(cat "$tmp/calls")"
        bad=1
    else
        echo "ok deps $1"
    fi
}

t no_debian 1 "tools/deps.sh: error: expected a Debian system with dpkg-query and apt-get"
fake dpkg-query <<'END'
for p; do :; done
[ "$p" = lemon ] || [ "$p" = clang ] || { printf 'install ok installed'; exit 0; }
exit 1
END
fake id <<'END'
echo 1000
END
fake apt-get <<'END'
echo "apt-get $*" >>"$CALLS"
exit ${APT:-0}
END
line='    apt-get update && apt-get install -y --no-install-recommends lemon clang'
t no_sudo 1 "$line" clang
t no_sudo_why 1 "  this user is not root, and there is no sudo; an administrator runs" clang
t no_sudo_what 1 "tools/deps.sh: error: packages are missing: lemon clang" clang
none no_sudo_calls
fake sudo <<'END'
echo "sudo: a password is required" >&2
exit 1
END
t sudo_refuses 1 "$line" clang
t sudo_refuses_why 1 "  this user is not root, and sudo refuses; an administrator runs" clang
none sudo_refuses_calls
fake sudo <<'END'
[ "$1" != -n ] || shift
[ "$1" = true ] || exec "$@"
END
t sudo 0 "installing: lemon"
if grep -qx 'apt-get install -y -qq --no-install-recommends lemon' "$tmp/calls"; then
    echo "ok deps sudo_calls"
else
    echo "not ok deps sudo_calls: $(cat "$tmp/calls")"
    bad=1
fi
APT=100
export APT
t apt_fails 1 "  apt-get failed, as it says above; an administrator runs"
fake dpkg-query <<'END'
printf 'install ok installed'
END
echo exit 9 | fake id
PATH=$tmp sh tools/deps.sh >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
if [ $? -eq 0 ]; then echo "ok deps complete"; else echo "not ok deps complete"; bad=1; fi
exit $bad
