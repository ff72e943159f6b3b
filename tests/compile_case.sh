# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of sinter compile, with $suite set: what they share.
. tests/sh_case.sh
CC=${CC:-gcc}
strict="-O1 -Wall -Wextra -Wconversion -pedantic -Werror"

# right NAME FILE.sn [FLAGS [COMPILER [OPTIONS]]]: the program's self-test passes.
right() {
    rm -rf "$tmp/o"
    # shellcheck disable=SC2086
    if "$sinter" compile "$2" -o "$tmp/o" ${5-} >"$tmp/out" 2>"$tmp/err" &&
        ${4:-$CC} $strict ${3:--std=c99} -o "$tmp/o/t" "$tmp"/o/*.c 2>"$tmp/err" &&
        "$tmp/o/t" >"$tmp/err"; then
        echo "ok $suite $1"
    else
        echo "not ok $suite $1"
        head -n 5 "$tmp/err"
        bad=1
    fi
}
