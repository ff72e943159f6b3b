#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shipped declarations with one token changed, dropped, doubled or
# exchanged, or one statement dropped, at random: sinter-gen accepts or refuses
# each (exit 0 or 1, with a message if it refuses), and never fails itself
# (SN399, exit 70, a signal, no end).
# Usage: spoiled.sh [COUNT [SEED]]
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
count=${1:-${SPOILED:-20000}}
seed=${2:-1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A file, the number of a line, what it becomes.  Numbers at random are those of
# Lehmer's generator, so that every awk draws the same.
cat >"$tmp/make.awk" <<'A'
function draw(n) { state = state * 16807 % 2147483647; return state % n }
# What a token is: w word, n number, o operator, s string, p what groups.
function class(t) {
    return t ~ /^[A-Za-z_]/ ? "w" : t ~ /^[0-9]/ ? "n" : t ~ /^"/ ? "s" : \
        t ~ /^[-+*\/%<>=!]+$/ ? "o" : "p"
}
# Splits line i of file f into tokens and the blanks before them.
function split_line(f, i,    s, t) {
    s = text[f, i]
    nt = 0
    while (match(s, /[^ ]/)) {
        blank[nt + 1] = substr(s, 1, RSTART - 1)
        s = substr(s, RSTART)
        if (s ~ /^\/\//)
            break
        if (!match(s, /^("[^"]*"|[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9.]*|==|!=|<=|>=|=>|->|\.\.)/))
            RLENGTH = 1
        tok[++nt] = substr(s, 1, RLENGTH)
        s = substr(s, RLENGTH + 1)
    }
    rest = s
}
# A token of class c within `reach` lines of line i, or "".
function other(f, i, c, reach,    lo, hi, k, j) {
    lo = i > reach ? i - reach : 1
    hi = i + reach > lines[f] ? lines[f] : i + reach
    for (k = 0; k < 40; k++) {
        split_line(f, lo + draw(hi - lo + 1))
        j = nt ? 1 + draw(nt) : 0
        if (j && class(tok[j]) == c)
            return tok[j]
    }
    return ""
}
function joined(    k, s) {
    s = ""
    for (k = 1; k <= nt; k++)
        s = s blank[k] tok[k]
    return s (rest == "" ? "" : " " rest)
}
# The statement that token k is in loses its tokens.
function drop_statement(k,    a, b) {
    for (a = k; a > 1 && tok[a - 1] !~ /^[;{}]$/; a--) ;
    for (b = k; b < nt && tok[b] !~ /^[;{}]$/; b++) ;
    for (; a <= b; a++)
        if (tok[a] !~ /^[{}]$/)
            tok[a] = ""
}
function change(f, i,    k, how, c, t, j) {
    split_line(f, i)
    if (!nt)
        return ""
    k = 1 + draw(nt)
    how = draw(10)
    c = class(tok[k])
    if (how < 5) {
        t = c == "n" && draw(2) ? draw(5) : other(f, i, c, how < 3 ? 4 : 400)
        split_line(f, i)
        if (t != "")
            tok[k] = t
    } else if (how == 5) {
        tok[k] = ""
    } else if (how == 6) {
        tok[k] = tok[k] " " tok[k]
    } else if (how == 7) {
        for (j = k + 1; j <= nt && class(tok[j]) != c; j++) ;
        if (j <= nt) {
            t = tok[k]; tok[k] = tok[j]; tok[j] = t
        }
    } else {
        drop_statement(k)
    }
    return joined()
}
{ text[FILENAME, FNR] = $0; lines[FILENAME] = FNR; if (FNR == 1) name[++nf] = FILENAME }
END {
    state = seed * 7919 % 2147483647
    for (f = 1; f <= nf; f++)
        all += lines[name[f]]
    for (n = 0; n < count;) {
        i = 1 + draw(all)
        for (f = 1; i > lines[name[f]]; f++)
            i -= lines[name[f]]
        t = change(name[f], i)
        if (t == "" || t == text[name[f], i])
            continue
        n++
        print name[f] "\t" i "\t" t
    }
}
A

# A tree of the declarations alone; proofs of what a change leaves alone are
# those of the shipped ones.
gen=$(cd "$BUILD" && pwd)/sinter-gen
backends=
for f in ./*.def src/backend/*/*.def; do
    mkdir -p "$tmp/tree/$(dirname "$f")"
    cp "$f" "$tmp/tree/$f"
    [ "${f#./}" != "$f" ] || backends="$backends --backend $f"
done
check() {
    # shellcheck disable=SC2086
    (cd "$tmp/tree" && timeout 300 "$gen" --check -I . --nodes nodes.def --passes passes.def \
        $backends -o gen >"$tmp/log" 2>&1)
}
mkdir "$tmp/tree/gen"
cp "$BUILD/gen/proofs.txt" "$BUILD/gen/certificates.txt" "$tmp/tree/gen" 2>/dev/null
check || { cat "$tmp/log"; exit 1; }
cp -r "$tmp/tree/gen" "$tmp/clean"
touch "$tmp/clean/when"

# What once was at fault, first: a file, the number of a line, what it becomes.
once() {
    awk -v file="$1" -v is="$2" -v to="$3" '
    index($0, is) {
        i = index($0, is)
        print file "\t" FNR "\t" substr($0, 1, i - 1) to substr($0, i + length(is))
        n++
    }
    END { if (!n) print "not ok spoiled: no line of " file " has: " is }' "$1"
}
{
    once ./arith.def 'arithmetic float "' 'arithmetic float ( "'
    once ./arith.def '(a.scale * b.scale / y.scale)' '(a.zp * b.scale / y.scale)'
    once ./arith.def 'f32(n)))), 32) + y.zp;' 'f32(n)))), 4) + y.zp;'
    once ./maps.def 'require o % group == 0 else' '//'
    once ./nodes.def 'invariant rank(x) == 2 and rank(w) == 2;' ''
    once ./passes.def 'real 1e-5;' 'real 0;'
} >"$tmp/once"
if grep '^not ok' "$tmp/once"; then
    exit 1
fi

# shellcheck disable=SC2086
awk -v count="$count" -v seed="$seed" -f "$tmp/make.awk" ./*.def src/backend/*/*.def >"$tmp/drawn"
cat "$tmp/once" "$tmp/drawn" >"$tmp/made"
count=$((count + $(wc -l <"$tmp/once")))
bad=0 refused=0 made=0
while IFS='	' read -r file line text; do
    made=$((made + 1))
    cp "$file" "$tmp/kept"
    printf '%s\n' "$text" >"$tmp/line"
    sed -e "${line}r $tmp/line" -e "${line}d" "$file" >"$tmp/tree/$file"
    check
    code=$?
    case $code in
    0) ;;
    1)
        refused=$((refused + 1))
        grep -q 'error\[SN' "$tmp/log" && ! grep -q 'SN399' "$tmp/log" || code=message
        ;;
    esac
    if [ "$code" != 0 ] && [ "$code" != 1 ]; then
        bad=$((bad + 1))
        echo "not ok spoiled: $code for $file:$line: $text"
        grep -m 3 -E 'SN399|rror' "$tmp/log" | cut -c 1-300
    fi
    cp "$tmp/kept" "$tmp/tree/$file"
    if [ "$tmp/tree/gen/proofs.txt" -nt "$tmp/clean/when" ]; then
        rm -rf "$tmp/tree/gen"
        cp -rp "$tmp/clean" "$tmp/tree/gen"
    fi
done <"$tmp/made"

if [ "$bad" = 0 ] && [ "$made" = "$count" ] && [ $((refused * 4)) -gt $((made * 3)) ]; then
    echo "ok spoiled: $made made of seed $seed, $refused refused"
else
    echo "not ok spoiled: $made made of seed $seed, $refused refused, $bad at fault"
    exit 1
fi
