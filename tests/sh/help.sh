#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completion, which are made from the table of options: mandoc
# reports nothing, and shells offer exactly what --help lists.
suite=help
. tests/sh_case.sh
sh tools/deps.sh mandoc bash zsh fish || exit 1
say() { # RESULT NAME
    if [ "$1" = 0 ]; then echo "ok help $2"; else echo "not ok help $2"; bad=1; fi
}
verbs=$("$sinter" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
n=$(echo "$verbs" | wc -w)
[ "$n" -ge 16 ]
say $? "there are verbs ($n)"

# ---- manual pages ----

# lint FILE: what mandoc says, but of the version that .Os names, of pages that
# are not installed, and of lines that are literal.
lint() {
    mandoc -Tlint "$1" | grep -v -e 'Os sinter' -e 'referenced manual not found' \
        -e 'input text line longer than 80 bytes'
}
"$sinter" help --man >"$tmp/sinter.1"
sh tools/gen_man.sh "$BUILD/sinter-gen" >"$tmp/sinter-gen.1"
for v in $verbs; do "$sinter" help "$v" --man >"$tmp/sinter-$v.1"; done
for f in "$tmp"/*.1; do
    ! lint "$f"
    say $? "$(basename "$f")"
done
for v in $verbs; do
    mandoc -Tascii "$tmp/sinter-$v.1" | col -b | grep -o '^ *-[-a-z0-9, ]*' | tr -s ', ' '\n\n' |
        grep '^-' | sort -u >"$tmp/page"
    # `--` is named in a sentence.
    "$sinter" "$v" --help | grep -o '^  -[-a-z0-9]*' | tr -d ' ' | sort -u >"$tmp/listed"
    [ -z "$(comm -13 "$tmp/page" "$tmp/listed")" ]
    say $? "sinter-$v.1 has each option of --help: $(comm -13 "$tmp/page" "$tmp/listed" | tr '\n' ' ')"
    grep -q "sinter-$v 1" "$tmp/sinter.1"
    say $? "sinter.1 names sinter-$v"
done

# ---- completion ----
for s in bash zsh fish; do
    t "completion $s" 0 out sinter help --completion $s
    cp "$tmp/out" "$tmp/complete.$s"
    $s -n "$tmp/complete.$s"
    say $? "$s reads it"
done
cat >"$tmp/ask.sh" <<'END'
. "$1"
shift
COMP_WORDS=(sinter "$@") COMP_CWORD=$#
_sinter
printf '%s\n' "${COMPREPLY[@]}"
END
# offers NAME WANT WORDS...: what bash offers for the last word.
offers() {
    name=$1 want=$2
    shift 2
    got=$(bash "$tmp/ask.sh" "$tmp/complete.bash" "$@" 2>/dev/null | tr '\n' ' ')
    [ "$got" = "$want" ]
    say $? "bash $name: '$got', expected '$want'"
}
offers verb 'bisect bench ' b
offers option '--weights ' compile model.onnx --we
offers choice 'rgb bgr gray ' run --channels ''
offers 'choice begun' 'gray ' run --channels g
offers 'a file' "$tmp/sinter.1 " run --input "$tmp/sinter.1"
offers 'nothing for a number' ' ' run -n ''
for v in $verbs; do
    bash "$tmp/ask.sh" "$tmp/complete.bash" "$v" -- 2>/dev/null | sort -u >"$tmp/offered"
    "$sinter" "$v" --help | grep -o '^  --[-a-z0-9]*' | tr -d ' ' | sort -u >"$tmp/listed"
    [ -z "$(comm -13 "$tmp/offered" "$tmp/listed")" ]
    say $? "bash offers each option of $v"
done
# fish answers without a terminal.
got=$(fish -c "source $tmp/complete.fish; complete -C 'sinter run --channels '" | cut -f1 | tr '\n' ' ')
[ "$got" = 'bgr gray rgb ' ]
say $? "fish choice: '$got'"
got=$(fish -c "source $tmp/complete.fish; complete -C 'sinter quan'" | cut -f1)
[ "$got" = quantize ]
say $? "fish verb: '$got'"

# ---- what is refused ----
t no_verb 2 err "is not a verb of sinter; did you mean 'quantize'?" help quantise
t shell 2 err 'expected bash, zsh or fish' help --completion ksh
t both 2 err 'cannot be combined with --man' help --man --completion bash
t too_many 2 err 'one argument too many' help run bench
t plain 0 out 'Usage: sinter run' help run
exit $bad
