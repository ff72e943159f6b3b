#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter-gen: messages in other formats, explained codes, the report.
BUILD=${BUILD:-build}
g=$BUILD/sinter-gen
tmp=$BUILD/tests/messages
mkdir -p "$tmp"
bad=tests/dsl/order/sn401_max_up.def

ok() { # NAME CONDITION...
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}
has() { grep -qF -- "$2" "$1"; }

"$g" --check --passes $bad -I . >"$tmp/out" 2>"$tmp/err"
ok text_status [ $? -eq 1 ]
ok text_stderr has "$tmp/err" "error[SN401]: rule 'max_up' raises the termination measure: 1 conversion becomes 2"
ok text_stdout_empty [ ! -s "$tmp/out" ]

"$g" --check --format=json --passes $bad -I . >"$tmp/out" 2>"$tmp/err"
ok json_status [ $? -eq 1 ]
ok json_code has "$tmp/out" '"severity": "error", "code": "SN401", "file": "'$bad'", "line": 6, "column": 8, "length": 6'
ok json_count has "$tmp/out" '"errors": 2'
ok json_stderr_empty [ ! -s "$tmp/err" ]

"$g" --check --format sarif --passes $bad -I . >"$tmp/out" 2>"$tmp/err"
ok sarif_status [ $? -eq 1 ]
ok sarif_rule has "$tmp/out" '{"id": "SN401", "shortDescription": {"text": "does not end"}}'
ok sarif_result has "$tmp/out" '"ruleId": "SN401", "level": "error"'

"$g" --format=xml --passes $bad >"$tmp/out" 2>"$tmp/err"
ok format_unknown [ $? -eq 2 ]
ok format_unknown_text has "$tmp/err" "no format is named 'xml'"

"$g" explain SN310 SN401 >"$tmp/out" 2>"$tmp/err"
ok explain_status [ $? -eq 0 ]
ok explain_text has "$tmp/out" "SN310: facts broken by a rule"
ok explain_second has "$tmp/out" "SN401: does not end"
"$g" explain SN31O >"$tmp/out" 2>"$tmp/err"
ok explain_unknown [ $? -eq 2 ]
ok explain_near has "$tmp/err" "no message has the code 'SN31O'; did you mean 'SN310'?"

# Every code that the sources report has a paragraph.
missing=$(grep -rohE --include='*.[cy]' '"SN[0-9]{3}"' dsl gen | sort -u | tr -d '"' |
          while read -r c; do "$g" explain "$c" >/dev/null 2>&1 || echo "$c"; done)
ok every_code_explained [ -z "$missing" ]
[ -z "$missing" ] || echo "without a paragraph:" $missing

# As the documents write it: in a tree, and what to do elsewhere.
"$g" --report --explain >"$tmp/both" 2>&1
ok bare_report_status [ $? -eq 0 ]
ok bare_report has "$tmp/both" "fuse                     heights of conversions"
ok bare_explain has "$tmp/both" "    absorb Conv2D.x: refines, by L4 L5"
ok bare_backend grep -q '^absorb .*CPU\|cpu.def' "$tmp/both"
ok notes_last sh -c "! sed '1,/note.SN504/d' '$tmp/both' | grep -q 'heights of conversions'"
g_abs=$(cd "$(dirname "$g")" && pwd)/sinter-gen
(cd "$tmp" && "$g_abs" --report >out 2>err)
ok nowhere_status [ $? -eq 2 ]
ok nowhere_text has "$tmp/err" "there are no nodes.def and passes.def in this directory; expected it to be the root of a sinter tree, or --core DIR"
ok nowhere_brief [ "$(wc -l <"$tmp/err")" -eq 1 ]

"$g" --check --passes /nonexistent/x.def >"$tmp/out" 2>"$tmp/err"
ok unreadable_status [ $? -eq 3 ]
ok unreadable_text has "$tmp/err" "/nonexistent/x.def: cannot open: No such file or directory"
"$g" --check --passes . >"$tmp/out" 2>"$tmp/err"
ok directory_status [ $? -eq 3 ]
"$g" --core /nonexistent --plugin x.def >"$tmp/out" 2>"$tmp/err"
ok unreadable_core_status [ $? -eq 3 ]

"$g" --check --report --passes passes.def -I . >"$tmp/out" 2>"$tmp/err"
ok report_status [ $? -eq 0 ]
ok report_measure has "$tmp/out" "fuse                     heights of conversions"
ok report_pairs has "$tmp/out" "absorb, absorb: joined"
ok report_prefer has "$tmp/err" "note[SN504]: merge and absorb do not join on Conv2D -> Rescale -> Conv2D; resolved by 'prefer merge over absorb'"
ok report_no_loose_rule sh -c "! grep -q 'not shown' '$tmp/out'"
ok report_certified sh -c "! grep -q ': worklist' '$tmp/out'"
"$g" --check --passes passes.def -I . >"$tmp/out" 2>"$tmp/err"
ok quiet_without_report [ ! -s "$tmp/err" ]

# Which rule applies is one question, whether each is sound another.
"$g" --check --passes tests/dsl/order/sn501_unsound.def -I . >"$tmp/out" 2>"$tmp/err"
ok order_and_proof_status [ $? -eq 1 ]
ok order_and_proof_overlap has "$tmp/err" "error[SN501]: rules 'clip_relu' and 'relu_clip' both match Relu(Clip(x))"
ok order_and_proof_unsound has "$tmp/err" "error[SN301]: rule 'relu_clip' is unsound: claimed exact"
# What the help says can be pasted.
sed "/^}/i\\
  $(sed -n 's/^ *help: \(prefer .*\)/\1/p' "$tmp/err" | head -n 1)" tests/dsl/order/sn501_unsound.def >"$tmp/pasted.def"
"$g" --check --passes "$tmp/pasted.def" -I . >"$tmp/out" 2>"$tmp/err"
ok help_pasted sh -c "! grep -qE 'SN001|SN501' '$tmp/err'"
ok help_pasted_is_read has "$tmp/err" "error[SN301]: rule 'relu_clip'"
