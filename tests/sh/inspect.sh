#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter inspect: memory, largest values, JSON, and the width of a terminal.
suite=inspect
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

t memory 0 out "memory: arena 192 bytes, at most 52 of them in use, constants 4 bytes" \
    inspect "$tmp/a.sn"
t memory_top 0 out "            52  ####################  p (MaxPool)" inspect "$tmp/a.sn" --top 1
fine memory_top_one [ "$(grep -c '#' "$tmp/out")" -eq 1 ]
fine top_one [ "$(grep -c '^  [a-z] .*\[1,' "$tmp/out")" -eq 2 ]
t attributes 0 out '"attributes":{"kernel":[2,2],"stride":[2,2]}' inspect "$tmp/a.sn" --json
t type 0 out '{"name":"s","type":{"elem":"qi8","scale":[0.05],"zero_point":[0]},"shape":[1,2,2,1]}' \
    inspect "$tmp/a.sn" --json
t top_json 0 out '"nodes":[{"kind":"MaxPool",' inspect "$tmp/a.sn" --top 1 --json

# ---- a terminal ----


long=features_of_the_first_block_before_the_pool
sed "s/%r\>/%$long/" "$tmp/a.sn" >"$tmp/long.sn"
t piped 0 out "%$long" opt "$tmp/long.sn" --passes=dce
COLUMNS=44 "$sinter" inspect "$tmp/long.sn" >"$tmp/out"
fine piped_whole grep -q "^  $long " "$tmp/out"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "COLUMNS=44 '$sinter' inspect '$tmp/long.sn'" /dev/null </dev/null >"$tmp/tty"
    cp "$tmp/tty" "$tmp/log"
    fine columns [ "$(tr -d '\r' <"$tmp/tty" | sed -n '/^  name  *kind/,/^$/p' |
        awk 'length > n { n = length } END { print n }')" -eq 44 ]
    fine columns_name grep -q '^  \.\.\.re_the_pool  *Rescale' "$tmp/tty"
    rm "$tmp/log"
    script -qec "stty cols 50; '$sinter' inspect '$tmp/long.sn'" /dev/null </dev/null >"$tmp/tty"
    fine stty grep -q '^  \.\.\.fore_the_pool Rescale' "$tmp/tty"
else
    echo "skip inspect terminal: no 'script' here"
fi
exit $bad
