#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verdicts of an earlier run: after an edit, sinter-gen proves again only what
# depends on the edited text, and reports the same as a run without earlier
# verdicts.
gen=$BUILD/sinter-gen
tmp=$BUILD/tests/prove_cache
rm -rf "$tmp"
mkdir -p "$tmp/base"
say() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

cp maps.def arith.def "$tmp/base/"
cat >"$tmp/base/nodes.def" <<'END'
version 2;
include "maps.def";
type q8  = quant(i8);
type q16 = quant(i16);
type act = q8 | q16 | f32;
type two = q8 | f32;
class clamped = has(clamp);
node Quantize {
  in x; out y;
  kinds (x) -> y { (f32) -> q8; (f32) -> q16; }
  attr clamp : range(y) = full;
  free y;
  sem convert y = q(d(x)) within clamp over each(x);
}
node Dequantize {
  in x; out y;
  kinds (x) -> y { (q8) -> f32; (q16) -> f32; }
  free x;
  sem convert y = d(x) over each(x);
}
node Rescale {
  in x; out y;
  kinds (x) -> y { (q8) -> q8; (q8) -> q16; (q16) -> q8; (q16) -> q16; }
  attr clamp : range(y) = full;
  free x, y;
  sem convert y = q(d(x)) within clamp over each(x);
}
node Relu "max with 0" {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in two; }
  free x, y;
  sem point y = q(max(d(x), 0)) over each(x);
  onnx "Relu" 6.. { }
}
node Step {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr kernel : int[2] where kernel > 0;
  attr stride : int[2] = [1, 1] where stride > 0;
  attr pads   : int[4] = [0, 0, 0, 0] where pads >= 0;
  attr dilate : int[2] = [1, 1] where dilate > 0;
  attr ceil_mode : bool = false;
  same x, y;
  invariant rank(x) == 4;
  sem window y = max(x) over pool(x, kernel, stride, pads, dilate, ceil_mode);
}
node Turn {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr perm : int[];
  same x, y;
  sem move y = x over permute(x, perm);
}
END
cat >"$tmp/base/passes.def" <<'END'
version 2;
include "nodes.def";
pass p {
  allow refines;
  rule relu_twice: Relu(Relu(x) @i) @o => Relu(x) like i : o.type when i.type == o.type exact;
  rule turn_noop: Turn(x) @o => x when identity(o.perm) exact;
  rule rescale_noop: Rescale(x) @o => x when x.type == o.type and o.clamp == full exact;
}
pass turns {
  allow exact;
  rule turn_twice: Turn(Turn(x) @i) @o => Turn(x) like i {perm = compose(i.perm, o.perm)} : o.type
    exact;
}
pass absorbs { allow refines; derive absorb Rescale into free(inputs); }
pass sinks { allow exact; derive sink Rescale through same(inputs, output); }
END
cat >"$tmp/base/b.def" <<'END'
version 2;
include "passes.def";
backend b { supports all(q8, f32); rounding float; fallback reference; }
refine Relu { same x, y; }
END
files() { echo "--passes $1/passes.def --backend $1/b.def -I $1"; }

# report DIR OUT: report and messages, without what tells runs apart.
report() {
    $gen $(files "$1") --report -o "$2" >"$2.all" 2>&1
    grep -v -e '^# proved in this run' -e 'verdicts are those of' "$2.all" >"$2.txt"
}

# edit NAME PROVED FILE SED: what is proved again, in any order, when the base
# is edited so; the report is that of a run without the verdicts of the base.
edit() {
    d=$tmp/$1
    rm -rf "$d"
    cp -r "$tmp/base" "$d"
    sed -i "$4" "$d/$3"
    cmp -s "$d/$3" "$tmp/base/$3" && say "$1_edits" 1
    mkdir "$d/old" "$d/new"
    cp "$tmp/proofs.txt" "$tmp/certificates.txt" "$d/old/"
    report "$d" "$d/old"
    report "$d" "$d/new"
    sed -n 's/^# proved in this run: //p' "$d/old.all" | sort | tr '\n' ';' >"$d/proved"
    cmp -s "$d/old.txt" "$d/new.txt" && grep -q ' proofs: ' "$d/old.txt" &&
        grep -q 'verdicts are those of' "$d/old.all" && [ "$(cat "$d/proved")" = "$2" ]
    say "$1" $?
    [ "$(cat "$d/proved")" = "$2" ] || echo "  proved: $(cat "$d/proved")"
}

mkdir "$tmp/first"
report "$tmp/base" "$tmp/first"
cp "$tmp/first/proofs.txt" "$tmp/first/certificates.txt" "$tmp"
grep -q '^# [1-9][0-9]* proofs: ' "$tmp/first.txt"
say first $?
report "$tmp/base" "$tmp/first"
cmp -s "$tmp/first/proofs.txt" "$tmp/proofs.txt" &&
    cmp -s "$tmp/first/certificates.txt" "$tmp/certificates.txt" &&
    ! grep -q 'proved in this run' "$tmp/first.all"
say again $?

relu='absorb Relu.x;relu_twice;sink Relu on b;'
turn='sink Turn;turn_noop;turn_twice;'
# What says nothing: comments, documentation, ONNX, place, another node, rule.
edit comment '' nodes.def '5i // a remark'
edit doc '' nodes.def 's/"max with 0"/"at least 0"/'
edit onnx '' nodes.def 's/onnx "Relu" 6/onnx "Relu" 13/'
edit blanks '' passes.def 's/when i.type == o.type/when  i.type==o.type/'
edit map_doc '' maps.def 's/"dimensions of 1, and /"dimensions of 1 and /'
edit other_node 'absorb Half.x;' nodes.def '/^node Relu/i\
node Half { in x; out y; kinds (x) -> y { (T) -> T for T in two; } free x, y;\
  sem point y = q(d(x) / 2) over each(x); }'
# One rule, or what one node, type or map says.
edit rule 'relu_twice;' passes.def 's/when i.type == o.type/when o.type == i.type/'
edit claim 'turn_noop;' passes.def '/turn_noop/s/exact/refines/'
edit meaning "$relu" nodes.def 's/q(max(d(x), 0))/q(max(0, d(x)))/'
edit fact "$turn" nodes.def '/^node Turn/,/^}/s/same x, y/same y, x/'
edit tuples "$turn" nodes.def '/^node Turn/,/^}/s/(T) -> T for T in act/(q8) -> q8; (f32) -> f32/'
edit constraint 'sink Step;' nodes.def 's/where kernel > 0/where kernel >= 1/'
edit refine "$relu" b.def 's/same x, y/same y, x/'
edit invariant 'sink Step;' nodes.def 's/rank(x) == 4/4 == rank(x)/'
edit type "$relu" nodes.def 's/^type two = q8 | f32/type two = f32 | q8/'
edit map 'sink Step;' maps.def '/^map pool/,/^}/s/let span = dilate \* (kernel - 1) + 1/let span = 1 + dilate * (kernel - 1)/'
# What a code means is behind every verdict.
conv=$tmp/conversion
cp -r "$tmp/base" "$conv"
sed -i '/^node Dequantize/,/^}/s/free x;/free x; cost 2;/' "$conv/nodes.def"
mkdir "$conv/out"
cp "$tmp/proofs.txt" "$tmp/certificates.txt" "$conv/out/"
report "$conv" "$conv/out"
grep -q ' proofs: ' "$conv/out.txt" && ! grep -q 'verdicts are those of' "$conv/out.all"
say conversion $?

# A rule that is refused is refused in every run; the others need no new proof.
wrong=$tmp/wrong
cp -r "$tmp/base" "$wrong"
sed -i '/rule relu_twice/s/ when i.type == o.type//' "$wrong/passes.def"
mkdir "$wrong/out"
cp "$tmp/proofs.txt" "$tmp/certificates.txt" "$wrong/out/"
for i in 1 2; do
    report "$wrong" "$wrong/out"
    grep -q "error\[SN3.*'relu_twice'" "$wrong/out.txt"
    say refused_$i $?
done
cp "$tmp/base/passes.def" "$wrong/"
report "$wrong" "$wrong/out"
[ "$(grep '^# proved in' "$wrong/out.all")" = '# proved in this run: relu_twice' ]
say repaired $?

# An entry stands as it is, as other files of a build do; half of one is none.
mkdir "$tmp/hand"
cp "$tmp/certificates.txt" "$tmp/hand/"
sed 's/	lemma	\(.*\)	L[0-9 ]*	/	lossy	\1	L9	/' "$tmp/proofs.txt" >"$tmp/hand/proofs.txt"
report "$tmp/base" "$tmp/hand"
grep -q ' lossy .* by L9' "$tmp/hand.txt" && ! grep -q 'proved in this run' "$tmp/hand.all"
say by_hand $?
cp "$tmp/certificates.txt" "$tmp/hand/"
sed '$s/	[^	]*$//' "$tmp/proofs.txt" >"$tmp/hand/proofs.txt"
report "$tmp/base" "$tmp/hand"
[ "$(grep -c 'proved in this run' "$tmp/hand.all")" = 1 ] && cmp -s "$tmp/hand.txt" "$tmp/first.txt"
say half $?

# What another prover says is not taken; one with other symbols is the same.
cp "$gen" "$tmp/other-gen"
echo >>"$tmp/other-gen"
cp "$tmp/proofs.txt" "$tmp/certificates.txt" "$tmp/hand/"
"$tmp/other-gen" $(files "$tmp/base") --report -o "$tmp/hand" >"$tmp/out" 2>&1
grep -q 'verdicts are those of' "$tmp/out" && ! grep -q 'proved in this run' "$tmp/out"
say other_symbols $?
LC_ALL=C sed 's/usage: sinter-gen/usage: sinter-GEN/' "$gen" >"$tmp/other-gen"
cp "$tmp/proofs.txt" "$tmp/certificates.txt" "$tmp/hand/"
"$tmp/other-gen" $(files "$tmp/base") --report -o "$tmp/hand" >"$tmp/out" 2>&1
grep -q ' proofs: ' "$tmp/out" && ! grep -q 'verdicts are those of' "$tmp/out"
say other_prover $?

# --check takes and leaves proofs, and writes nothing else.
mkdir "$tmp/check"
$gen $(files "$tmp/base") --check -o "$tmp/check" 2>"$tmp/out" &&
    cmp -s "$tmp/check/proofs.txt" "$tmp/proofs.txt" &&
    [ "$(ls "$tmp/check" | tr '\n' ' ')" = 'certificates.txt proofs.txt ' ]
say check $?

# Certificates are checked in every run: one that was changed is a defect, one
# that is missing is made again.
falsify() {
    mkdir -p "$tmp/cert"
    cp "$tmp/proofs.txt" "$tmp/cert/"
    sed "$2" "$tmp/certificates.txt" >"$tmp/cert/certificates.txt"
    cmp -s "$tmp/cert/certificates.txt" "$tmp/certificates.txt" && say "$1_falsifies" 1
    $gen $(files "$tmp/base") --check -o "$tmp/cert" >"$tmp/out" 2>&1
    [ $? = 70 ] && grep -q "certificates.txt: certificate of 'turn_[a-z]*'.*$3" "$tmp/out"
    say "certificate_$1" $?
}
falsify polynomial '/^g /s/^g [^ ]*/&+1/' 'line [0-9]*: 1 = 0 is not shown'
falsify path '/^\. /d' 'a step after the end of a path\|the last path is not closed'
falsify premise '/^> /s/^> [^ ]*/&-1/' 'sum of facts leaves\|not shown\|not that of the verdict'
grep -q '^# 9 certificates checked: ' "$tmp/first.txt"
say certificates_counted $?
: >"$tmp/cert/certificates.txt"
cp "$tmp/proofs.txt" "$tmp/cert/"
report "$tmp/base" "$tmp/cert"
! grep -q 'verdicts are those of' "$tmp/cert.all" &&
    cmp -s "$tmp/cert/certificates.txt" "$tmp/certificates.txt"
say certificate_missing $?
