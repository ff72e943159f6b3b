#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter diff: nodes by name and by structure.
suite=diff
. tests/sh_case.sh

cat >"$tmp/a.sn" <<'END'
sinter-graph 1
graph "a" {
  %x = Placeholder() : qi8<0.04, 0>[1,4,4,1]
  %r = Rescale(%x) : qi8<0.02, 0>[1,4,4,1]
  %p, %i = MaxPool(%r) {kernel = [2,2], stride = [2,2]} : (qi8<0.02, 0>[1,2,2,1], i64[1,2,2,1])
  %k = Constant() {data = [1, 2, 3, 4]} : qi8<0.5, 0>[1,2,2,1]
  %s = Add(%p, %k) : qi8<0.05, 0>[1,2,2,1]
  Save(%s) {name = "s"}
  Save(%i) {name = "i"}
}
END

# edit NAME SED: a.sn with something else in it.
edit() { sed "$2" "$tmp/a.sn" >"$tmp/$1.sn"; }
# says NAME EDIT < LINES: diff of a.sn and the edit prints these lines.
says() {
    cat >"$tmp/want"
    edit "$1" "$2"
    t "$1" 1 out "" diff "$tmp/a.sn" "$tmp/$1.sn"
    cp "$tmp/out" "$tmp/log"
    fine "$1_text" cmp -s "$tmp/want" "$tmp/out"
}

t same 0 out "0 added, 0 removed, 0 changed, 7 the same" diff "$tmp/a.sn" "$tmp/a.sn"
t same_json 0 out '{"removed":[],"added":[],"changed":[],"graph":null,"same":7,"equal":true}' \
    diff "$tmp/a.sn" "$tmp/a.sn" --json
t one 2 err "expected two models, got 1" diff "$tmp/a.sn"
t none 3 err "no.sn: cannot open" diff "$tmp/a.sn" "$tmp/no.sn"

says data 's/2, 3, 4\]/2, 5, 4]/' <<'END'
~ k (Constant)
    data: 1 of 4 values differ, by at most 1
0 added, 0 removed, 1 changed, 6 the same
END
says scale 's/0\.05, 0/0.06, -3/' <<'END'
~ s (Add)
    type: qi8<0.05, 0> -> qi8<0.06, -3>
0 added, 0 removed, 1 changed, 6 the same
END
says attribute 's/kernel = \[2,2\]/kernel = [1,1]/' <<'END'
~ p (MaxPool)
    attribute kernel: [2,2] -> [1,1]
0 added, 0 removed, 1 changed, 6 the same
END
says kind 's/Add(/Mul(/' <<'END'
~ s (Mul)
    kind: Add -> Mul
0 added, 0 removed, 1 changed, 6 the same
END
says inserted 's/Save(%s)/%t = Relu(%s) : qi8<0.05, 0>[1,2,2,1]\n  Save(%t)/' <<'END'
+ t (Relu)
~ s (Save)
    operand x: s -> t
1 added, 0 removed, 1 changed, 6 the same
END
says renamed 's/%r\>/%other/' <<'END'
~ other (Rescale)
    name: r -> other
0 added, 0 removed, 1 changed, 6 the same
END
# Renamed and changed: what reads it, or what it reads, says which it is.
says both 's/%k\>/%c/; s/\[1, 2/[7, 2/; s/%s\>/%sum/; s/0\.05/0.07/' <<'END'
~ c (Constant)
    name: k -> c
    data: 1 of 4 values differ, by at most 3
~ sum (Add)
    name: s -> sum
    type: qi8<0.05, 0> -> qi8<0.07, 0>
0 added, 0 removed, 2 changed, 5 the same
END
says graph_name 's/graph "a"/graph "b"/' <<'END'
graph name: a -> b
0 added, 0 removed, 0 changed, 7 the same
END
says rounding 's/graph "a"/graph "a" rounding double/' <<'END'
graph rounding: float -> double
0 added, 0 removed, 0 changed, 7 the same
END
sed '/Save(%s)/d; s/Save(%i).*/&\n  Save(%s) {name = "s"}/' "$tmp/a.sn" >"$tmp/order.sn"
t order 1 out "graph s (Save):" diff "$tmp/a.sn" "$tmp/order.sn"

t json_data 1 out '{"node":"k (Constant)","changes":[{"what":"data","values":4,"differ":1,"most":1}]}' \
    diff "$tmp/a.sn" "$tmp/data.sn" --json
t json_attribute 1 out '{"what":"attribute","name":"kernel","from":[2,2],"to":[1,1]}' \
    diff "$tmp/a.sn" "$tmp/attribute.sn" --json
t json_type 1 out '"from":{"elem":"qi8","scale":[0.05],"zero_point":[0]},"to":{"elem":"qi8","scale":[0.06],"zero_point":[-3]}' \
    diff "$tmp/a.sn" "$tmp/scale.sn" --json
t json_removed 1 out '{"removed":["t (Relu)"],"added":[],' \
    diff "$tmp/inserted.sn" "$tmp/a.sn" --json

exit $bad
