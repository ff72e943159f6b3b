#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# repro.sh: builds the tree twice, under different paths, and lets each build
# write all kinds of files that sinter writes: is everything the same, byte for
# byte?  The second build has another locale, time zone, umask, times of its
# sources, environment, home and number of jobs.  Prints what differs, or how
# many files are equal.  Called by make repro, with CC and MAKE.
. "${0%/*}/help.sh"
set -u
MAKE=${MAKE:-make} CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
one=$tmp/one two=$tmp/two/a-longer/path.d/tree

for d in "$one" "$two"; do
    mkdir -p "$d"
    sh tools/files.sh | tar cf - -T - | tar xf - -C "$d" || exit 2
done
find "$two" -type f -exec touch -d '2001-02-03 04:05:06 UTC' {} +

# A locale with different words, order and decimal points, if there is one.
other=$(locale -a | LC_ALL=C grep -E '^(tr|de|fr|et)_' | head -n 1)
other=${other:-C.UTF-8}

# Each kind of output, from the demo's model and data.
cat >"$tmp/write.sh" <<'END'
jobs=$1 threads=$2 demo=examples/demo px='--mul 0.00392156863'
mkdir -p out && cd out || exit 2
say() { "../build/$@" || exit 2; }
s=sinter m=../$demo/fashion_lrn.onnx x="--input ../$demo/test_images.npy"
say $s profile $m --calib ../$demo/calib_images.npy -n 32 $px --jobs $jobs -o profile.json
say $s quantize $m --calib ../$demo/calib_images.npy -n 32 $px --jobs $jobs -o q.sn --stats >q.txt
say $s quantize $m --load-profile profile.json --per-tensor -o t.sn >t.txt
say $s run q.sn $x -n 64 $px --jobs $jobs --dump y.npy >run.txt
say $s run q.sn $x -n 64 $px --jobs 1 --threads $threads --dump z.npy >/dev/null
for f in qdq qoperator; do say $s export q.sn --format=$f -o $f.onnx 2>$f.txt; done
say $s opt $m -o opt.sn --stats --trace >opt.txt 2>&1
say $s draw q.sn -o q.svg 2>draw.txt
say $s why q.sn >why.txt
say $s inspect q.sn --json >inspect.json
say $s ops >ops.txt
cd .. || exit 2
g='--nodes nodes.def --passes passes.def -I .'
for b in src/backend/*/*.def; do g="$g --backend $b"; done
for what in explain report cases; do build/sinter-gen --$what $g -o out >out/gen.$what || exit 2; done
END

# build DIRECTORY JOBS THREADS LOG
build() {
    (cd "$1" && "$MAKE" -s -j"$2" CC="$CC" BUILD=build all lib dist &&
        sh "$tmp/write.sh" "$2" "$3") >"$4" 2>&1 || {
        echo "repro: the build in $1 ends with an error:"
        tail -n 5 "$4"
        exit 2
    }
}
# Two compilations, not one and its copy; at the same time, as one of them has
# one job.
unset MAKEFLAGS MFLAGS MAKELEVEL
export SOURCE_DATE_EPOCH=1000000000 CCACHE_DISABLE=1
(
    umask 022
    export LC_ALL=C TZ=UTC
    build "$one" 1 1 "$tmp/one.log"
) &
first=$!
(
    umask 077
    export LC_ALL="$other" TZ=Asia/Kathmandu HOME=/nonexistent USER=nobody COLUMNS=40 TERM=dumb
    build "$two" 2 3 "$tmp/two.log"
)
second=$?
wait $first && [ $second -eq 0 ] || exit 2

bad=0 n=0
(cd "$one" && find build out -type f | LC_ALL=C sort) >"$tmp/files"
(cd "$two" && find build out -type f | LC_ALL=C sort) | diff "$tmp/files" - || bad=1
while read -r f; do
    if cmp -s "$one/$f" "$two/$f"; then
        n=$((n + 1))
    else
        echo "repro: $f is not reproducible"
        bad=1
    fi
done <"$tmp/files"
[ $bad -ne 0 ] || echo "repro: $n files, equal (second locale: $other)"
exit $bad
