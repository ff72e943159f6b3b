#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many threads sinter run starts: those of --jobs, of which samples that are
# fewer get several each, and as many while it loads.  Results depend neither on
# them nor on threads that do not start.
suite=threads
. tests/sh_case.sh
fault=$BUILD/tests/fault.so

# A filter large enough to be packed in parts.
cat >"$tmp/large.sn" <<'EOF'
sinter-graph 1
graph "large" {
  %x = Placeholder() : f32[1,9,9,256]
  %w = Constant() {splat = 0.125} : f32[1024,1,1,256]
  %y = Conv2D(%x, %w) {kernel = [1,1]} : f32[1,9,9,1024]
  Save(%y) {name = "y"}
}
EOF
# One whose parts are too small for that, but large enough for a team.
sed 's/1024/64/g' "$tmp/large.sn" >"$tmp/small.sn"
"$BUILD/tests/mkdata" "$tmp/x.npy" 4 9x9x256
"$sinter" run "$tmp/large.sn" --input "$tmp/x.npy" --backend cpu -j 1 --dump "$tmp/large.npy" >"$tmp/said"
"$sinter" run "$tmp/small.sn" --input "$tmp/x.npy" --backend cpu -j 1 --dump "$tmp/small.npy" >"$tmp/said"

# run MODEL AT OPTION...: thread AT does not start; how many are in $tmp/n.
run() {
    graph=$tmp/$1.sn at=$2
    shift 2
    rm -f "$tmp/y.npy"
    FAULT_SET=thread FAULT_AT=$at FAULT_COUNT=$tmp/n LD_PRELOAD=$fault "$sinter" run "$graph" \
        --input "$tmp/x.npy" --backend cpu --dump "$tmp/y.npy" "$@" >"$tmp/said" 2>&1
}
# starts NAME N MODEL OPTION...: beside its own.
starts() {
    name=$1 n=$2 model=$3
    shift 3
    if run "$model" 0 "$@" && [ "$(cat "$tmp/n")" = "$n" ]; then
        echo "ok threads $name: $n"
    else
        echo "not ok threads $name: expected $n, $(cat "$tmp/n" "$tmp/said")"
        bad=1
    fi
}
starts alone 0 large -j 1
starts large 4 large -n 1 -j 3
starts large_loads 2 large -n 1 -j 3 --threads 1
starts small 2 small -n 1 -j 3
starts two_samples 3 small -n 2 -j 4
starts more_samples 2 small -n 4 -j 3
starts given 1 small -n 1 -j 3 --threads 2
starts one_each 0 small -n 1 -j 3 --threads 1

nbad=0
for i in 1 2 3 4 5 6; do
    for m in large small; do
        for o in '-j 2' '-j 3 --threads 2' '-j 8'; do
            # shellcheck disable=SC2086
            run $m $i $o && cmp -s "$tmp/y.npy" "$tmp/$m.npy" || {
                echo "| $m, $o: thread $i does not start: $(head -n 1 "$tmp/said")"
                nbad=$((nbad + 1))
            }
        done
    done
done
if [ $nbad -eq 0 ]; then
    echo "ok threads missing"
else
    echo "not ok threads missing: $nbad runs"
    bad=1
fi
exit $bad
