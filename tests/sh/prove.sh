#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proofs on every build: how long they take, cold and cached, for the shipped
# declarations and for a generated set of 200 nodes and 500 rules; and that the
# report has the required names.  Times are printed without a limit: they depend
# on the machine.
gen=$BUILD/sinter-gen
tmp=$BUILD/tests/prove
rm -rf "$tmp"
mkdir -p "$tmp"
say() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

# seconds NAME COMMAND..: user time of the command, in seconds.
seconds() {
    name=$1
    shift
    bash -c "TIMEFORMAT=%U; time $*" >"$tmp/out" 2>&1
    rc=$?
    echo "$name: $(tail -n 1 "$tmp/out") s"
    say "$name" $rc
}

files="--nodes nodes.def --passes passes.def"
for b in src/backend/*/*.def; do files="$files --backend $b"; done
seconds cold "$gen $files -I . -o $tmp/gen"
cp "$tmp/gen/proofs.txt" "$tmp/cold.txt"
seconds cached "$gen $files -I . -o $tmp/gen --report"
! grep -q "proved in this run" "$tmp/out"
say nothing_proved_again $?
cmp -s "$tmp/gen/proofs.txt" "$tmp/cold.txt"
say cache_is_stable $?
grep '^# .* proofs: ' "$tmp/cold.txt"

# Every proof has a certificate that was checked; one factor more in one sum, or
# a rule in the place of another, is a defect.
n=$(awk -F '\t' '$2 == "index" || $2 == "lemma"' "$tmp/cold.txt" | wc -l)
[ "$n" -gt 0 ] && grep "^# $n certificates checked: " "$tmp/cold.txt"
say certificates $?
grep '^#   [0-9]* closed' "$tmp/cold.txt"
cp "$tmp/gen/certificates.txt" "$tmp/certificates.txt"
# falsified NAME AWK TEXT: what is said of certificates that AWK has changed.
falsified() {
    awk "$2"' { print }' "$tmp/certificates.txt" >"$tmp/gen/certificates.txt"
    ! cmp -s "$tmp/certificates.txt" "$tmp/gen/certificates.txt" &&
        $gen $files -I . --check -o "$tmp/gen" >"$tmp/out" 2>&1
    [ $? = 70 ] && grep -q "$3" "$tmp/out"
    say "falsified_$1" $?
    cp "$tmp/cold.txt" "$tmp/gen/proofs.txt"
    cp "$tmp/certificates.txt" "$tmp/gen/"
}
falsified factor '!done && /^y .* 1 1f[0-9]*$/ { sub(/1f/, "2f"); done = 1 }' \
    'line [0-9]*: the sum of facts leaves'
falsified rule '!done && /^~ .* p$/ { sub(/p$/, "e"); done = 1 }' \
    "line [0-9]*: rule 'e' does not give that"
falsified claim '!done && /^C r$/ { sub(/r$/, "e"); done = 1 }' \
    'line [0-9]*: both sides are not seen to be equal'
falsified clamp '/^V / { next }' 'line [0-9]*: both sides are not seen to be equal'
falsified element '!done && /^r l 4 / { sub(/r l 4 [^ ]*/, "&+1"); done = 1 }' \
    'line [0-9]*: both sides have other normal forms'
falsified number '!done && /^r # [1-9]/ { $3 += 1; done = 1 }' \
    'line [0-9]*: both sides have other normal forms'
falsified rank '!done && /^g .* rank$/ { sub(/^g [^ ]*/, "&-1"); done = 1 }' \
    'line [0-9]*: .* = 0 is not shown'
falsified places '!done && /^r l 2 / { $3 = 1; $4 = ""; done = 1 }' \
    'line [0-9]*: rank([a-z.]*) is not shown to be 1'
falsified sum '!done && /^r s / { sub(/^r s [0-9]* [^ ]*/, "r s 0"); done = 1 }' \
    'line [0-9]*: a place outside of its sum'
falsified order '!done && /^r c / { sub(/max$/, "min") || sub(/min$/, "max"); done = 1 }' \
    'line [0-9]*: both sides have other normal forms\|whose order is not known'
falsified flag '!done && /^i / { $2 = $2 "-1"; done = 1 }' \
    'line [0-9]*: both sides have other normal forms\|>= 0 is not known'
# The same normal form with fewer roundings, and another number in the verdict.
falsified operations '!done && /^r f 2 [0-9]+ [0-9]+ pow$/ { $0 = "r * " $4 " " $4; done = 1 }' \
    "certificate of '.*: it has 'roundings: .*, and the verdict 'roundings: "
sed '/	/s/roundings: 2 + 1 a tap on the left, 2/roundings: 2 + 1 a tap on the left, 1/' \
    "$tmp/cold.txt" >"$tmp/gen/proofs.txt"
! cmp -s "$tmp/cold.txt" "$tmp/gen/proofs.txt" &&
    $gen $files -I . --check -o "$tmp/gen" >"$tmp/out" 2>&1
[ $? = 70 ] && grep -q "it has 'roundings: 2 + 1 a tap on the left, 2 .*, and the verdict" "$tmp/out"
say falsified_roundings $?
cp "$tmp/cold.txt" "$tmp/gen/proofs.txt"
# A sound certificate of another claim.
falsified weaker '!done && /^C e$/ { sub(/e$/, "r"); done = 1; weak = 1 }
    /^end$/ { weak = 0 } weak && /^~/ { next }' 'certificate of .*; expected each step'

# What carries the shipped rules: nothing that was only drawn, or is trusted.
layers=$(awk '/^# trusted/ { exit } /^[^# ]/ { for (i = 2; i < NF; i++)
                  if ($i ~ /^(-|[a-z_]*\.def:[0-9]+)$/) { print $(i + 1); break } }' \
             "$tmp/cold.txt" | sort -u | tr '\n' ' ')
[ "$layers" = 'definition index lemma lossy ' ]
say evidence $?
[ "$layers" = 'definition index lemma lossy ' ] || echo "$layers"

# Of each rule over the reals the checker has counted the roundings, and what was
# drawn is within what they add up to.
awk '/^# trusted/ { exit }
    / index +real / { n++
        if (!/roundings: [0-9].* on the left, [0-9].* on the right, / ||
            match($0, /[0-9.e+-]+ of their bound used/) == 0 || substr($0, RSTART) + 0 > 1) bad++ }
    END { exit !(n >= 30) || bad }' "$tmp/cold.txt" &&
    grep -q '^fully_connected .*; roundings: 2 + 1 a tap on the left, 2 + 1 a tap on the right' \
        "$tmp/cold.txt"
say roundings $?

# A Transpose sinks below every node that names axes or has lists along them,
# for every rank: by the index calculus, as renumbered axes are.
below=$(sed -n 's/^sink Transpose below \([A-Za-z]*\)  *[a-z.]*:[0-9]* *index *exact.*/\1/p' \
            "$tmp/cold.txt" | sort | tr '\n' ' ')
for n in Concat Flip LogSoftmax Normalize Pad ResizeNearest Slice Softmax Tile; do
    case " $below " in *" $n "*) ;; *) false ;; esac
    say "transpose_below_$n" $?
done

# The trusted base is there, and the checker is small.
sh tools/trusted.sh >"$tmp/trusted" && grep -q ' in all$' "$tmp/trusted"
say trusted_base $?
cat "$tmp/trusted"
# Lines of code, without comments and empty lines: as gcc prints them.
code_lines() {
    for f; do gcc -fpreprocessed -dD -E -P "$f"; done 2>/dev/null | grep -c .
}
n=$(code_lines dsl/prove/check/*.[ch])
m=$(code_lines dsl/prove/check/normal.c)
echo "checker: $((n - m)) lines of code, and $m for normal forms and roundings over the reals"
[ "$m" -gt 200 ] && [ "$m" -le 650 ] && [ $((n - m)) -gt 500 ] && [ $((n - m)) -le 1445 ]
say checker_is_small $?

# Draws hit what a rule is about: it has as many cases as were asked for, 96, or
# two thirds of them for an instance of a family.
grep -E '^[^#].* [1-9][0-9]* type draws,' "$tmp/cold.txt" >"$tmp/cases"
few=$(awk '{ for (i = 2; i < NF; i++) if ($(i + 1) == "type") n = $i
             if (n < 64) print }' "$tmp/cases")
[ -s "$tmp/cases" ] && [ -z "$few" ]
say cases_are_many $?
[ -z "$few" ] || echo "$few"

# 200 nodes, 500 rules, two derived families over all of them.
awk 'BEGIN {
    print "version 2;\ninclude \"nodes.def\";"
    for (i = 0; i < 200; i++)
        printf "node S%d { in x; out y; kinds (x) -> y { (T) -> T for T in act; }\n  attr clamp : range(y) = full;\n  free x, y;\n  sem point y = q(max(d(x), 0)) within clamp over each(x); }\n", i
    print "pass q { allow refines;\n  derive absorb Rescale into free(inputs);\n  derive merge Rescale into free(output); }"
    print "pass p { allow exact;"
    for (k = 0; k < 500; k++) {
        i = k % 200; j = (k * 7 + int(k / 200) + 1) % 200
        printf "  rule r%d: S%d(S%d(x) @m :1) @o => S%d(x) : o.type when m.type == o.type and m.clamp == full and o.clamp == full exact;\n", k, i, j, j
    }
    print "}" }' >"$tmp/many.def"
seconds nodes200_rules500 "$gen --passes $tmp/many.def -I . -o $tmp/many"
grep -q ' error' "$tmp/out" && cat "$tmp/out" | head -n 5
grep '^# .* proofs: ' "$tmp/many/proofs.txt"

# The report: each instance with claim, layer, source line and guard; trusted.
$gen $files -I . --report >"$tmp/report" 2>/dev/null
grep -q '^absorb Conv2D.x  *passes.def:[0-9]* *lemma *refines' "$tmp/report"
say report_instance $?
grep -q '^    when covers(reach(r), reach(x))' "$tmp/report"
say report_guard $?
sed -n '/^# trusted/,/^$/p' "$tmp/report" | grep -q '^none'
say report_trusted $?

# What a solver closes of the obligations: all of them.
sh tools/deps.sh z3
$gen $files -I . --check --emit-smt2 "$tmp/smt2" >/dev/null 2>&1
n=$(ls "$tmp"/smt2/*.smt2 | wc -l)
for f in "$tmp"/smt2/*.smt2; do
    echo "(echo \"$(basename "$f" .smt2)\")"
    echo '(set-option :rlimit 20000000)' # work, not time
    cat "$f"
    echo '(reset)'
done >"$tmp/all.smt2"
z3 "$tmp/all.smt2" >"$tmp/z3" 2>&1
unsat=$(grep -cx unsat "$tmp/z3")
echo "obligations: $n, closed by z3: $unsat"
[ "$n" -ge 100 ] && [ "$unsat" = "$n" ]
say smt2 $?
[ "$unsat" = "$n" ] || grep -B1 -E '^(sat|unknown|.error)' "$tmp/z3" | head -n 20

# And of the steps of certificates, within so much work: time is the machine's.
for f in "$tmp"/smt2/steps/*.smt2; do z3 rlimit=5000000 "$f"; done >"$tmp/z3" 2>&1
n=$(cat "$tmp"/smt2/steps/*.smt2 | grep -c '^(check-sat)')
unsat=$(grep -cx unsat "$tmp/z3")
echo "steps: $n, closed by z3: $unsat"
[ "$n" -ge 500 ] && [ "$unsat" = "$n" ]
say steps $?

# make certify fails where a solver denies a step, or says nothing of it.
mkdir -p "$tmp/ask/steps" "$tmp/bin"
cp "$tmp/smt2/absorb_Conv2D_x.smt2" "$tmp/ask/"
cp "$tmp/smt2/steps/slice_noop.smt2" "$tmp/ask/steps/"
cat >"$tmp/bin/z3" <<'END'
#!/bin/sh
# The questions of the file, all but the last of them agreed to.
for f; do :; done
n=$(grep -c '^(check-sat)' "$f")
yes unsat | head -n $((n - 1))
echo "$LAST"
END
cp "$tmp/bin/z3" "$tmp/bin/cvc5"
chmod +x "$tmp/bin/z3" "$tmp/bin/cvc5"
# certify NAME ANSWER STATUS TEXT: what it says when each last answer is this.
certify() {
    LAST=$2 PATH="$tmp/bin:$PATH" sh tools/certify.sh "$BUILD" 2000 "$tmp/ask" >"$tmp/out" 2>&1
    [ $? = "$3" ] && grep -q "$4" "$tmp/out"
    say "certify_$1" $?
}
export LAST
certify agreed unsat 0 '^steps of certificates, cvc5: [0-9]* asked, [0-9]* agreed, 0 unknown, 0 denied'
certify unknown unknown 0 'certificates, z3: .* 1 unknown, 0 denied'
certify denied sat 1 'slice_noop.smt2: z3 denies question [1-9]'
certify silent '' 1 'slice_noop.smt2: z3 answers [0-9]* of [0-9]* questions'
