#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scripts of tools and tests/long answer --help with the comment at their head,
# and refuse an option that they do not have: none begins its work instead.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
n=0
for f in tools/*.sh tools/oracle/*.sh tests/long/*.sh; do
    [ "$f" != tools/help.sh ] || continue
    n=$((n + 1))
    # A script that does not ask would run for minutes.
    first=$(sed -n '/^#/d; /^flags=/d; p; q' "$f")
    case $first in
    '. "${0%/*}/'*'help.sh"') ;;
    *)
        echo "not ok scripts $f: begins with '$first', not with tools/help.sh"
        bad=1
        continue
        ;;
    esac
    sh "$f" --help >"$tmp/out" 2>"$tmp/err"
    rc=$?
    sed -n '1,/^[^#]/{ /^#!/d; /^# SPDX/d; s/^# \{0,1\}//p; }' "$f" >"$tmp/want"
    if [ $rc != 0 ] || [ ! -s "$tmp/out" ] || ! cmp -s "$tmp/want" "$tmp/out"; then
        echo "not ok scripts $f: --help exits with $rc and says: $(head -n 3 "$tmp/out" "$tmp/err")"
        bad=1
    fi
    for args in --nonsense 'build --nonsense'; do
        # shellcheck disable=SC2086
        sh "$f" $args >"$tmp/out" 2>"$tmp/err"
        rc=$?
        if [ $rc != 2 ] || [ -s "$tmp/out" ] ||
            ! grep -q "^${f##*/}: unknown option '--nonsense'" "$tmp/err"; then
            echo "not ok scripts $f: $args exits with $rc"
            bad=1
        fi
    done
done
if [ "$n" -gt 60 ] && [ $bad = 0 ]; then
    echo "ok scripts: $n answer --help and refuse unknown options"
else
    echo "not ok scripts: $n looked at"
    bad=1
fi
exit $bad
