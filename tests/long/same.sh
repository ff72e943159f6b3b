#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same.sh OLD NEW: do two builds of sinter give the same bytes?  For changes
# that move and rename.  OLD and NEW are build directories of two trees (OLD in
# a tree of its own), NEW one with its tests (make tests).  Compared are
#   sinter     inspect, opt, quantize, run, export on the models of SHARED/data
#              and of the tree, and on N random graphs (SAME_RANDOM, 10000)
#              that NEW draws: output, exit status, files
#   sinter-gen messages and files on each .def of the tests, and on the tree's
#              own declarations
# Differences are listed, and counted at the end.  Numbers of lines of declarations
# do not count; generated C is listed apart, as it may have other names.  Files above
# SAME_NBYTE (64 MiB) are left out, and counted.  Exit status: 1 if outputs
# differ, 0 if at most generated C differs.
. "${0%/*}/../../tools/help.sh"
set -u
old=$(cd "${1:?usage: same.sh OLD NEW}" && pwd) || exit 2
new=$(cd "${2:?usage: same.sh OLD NEW}" && pwd) || exit 2
SHARED=${SHARED:-../shared}
most=${SAME_NBYTE:-67108864}
n=${SAME_RANDOM:-10000}
jobs=${SAME_JOBS:-2}
tree=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export old new tmp tree

# What one build does with one model: files in the current directory.
cat >"$tmp/model.sh" <<'END'
bin=$1 model=$2
shift 2
say() # NAME COMMAND...
{
    name=$1
    shift
    timeout 300 "$@" >"$name.out" 2>"$name.err"
    echo "$?" >"$name.rc"
    sed -i 's/\.def:[0-9]*/.def:N/g' "$name.out" "$name.err"
}
say inspect "$bin/sinter" inspect "$model" --json
say opt "$bin/sinter" opt "$model" --stats -o opt.sn
[ $# -eq 0 ] || say run "$bin/sinter" run "$model" "$@" --jobs 1 --dump run.npy
case $model in
*.sn)
    say interp "$bin/sinter" run "$model" "$@" --backend interp --dump interp.npy ;;
*)
    say export "$bin/sinter" export "$model" --format qdq -o export.onnx
    if [ $# -gt 0 ]; then
        data=$(printf '%s\n' "$@" | grep -v '^--input$' | sed 's/^/--calib /')
        # shellcheck disable=SC2086
        say quantize "$bin/sinter" quantize "$model" $data --jobs 1 --trace --stats -o q.sn
        say qrun "$bin/sinter" run q.sn "$@" --jobs 1 --dump q.npy
        say qexport "$bin/sinter" export q.sn --format qoperator -o q.onnx
    fi ;;
esac
END
# Both builds on one model; prints what differs.
cat >"$tmp/both.sh" <<'END'
model=$1
shift
dir=$(mktemp -d "$tmp/both.XXXXXX")
for b in old new; do
    mkdir "$dir/$b"
    eval "bin=\$$b"
    (cd "$dir/$b" && sh "$tmp/model.sh" "$bin" "$model" "$@")
done
diff -rq "$dir/old" "$dir/new" >"$dir/diff" ||
    sed "s|^|differs $model: |; s|$dir/||g" "$dir/diff"
echo "done"
rm -rf "$dir"
END

count() # FILE NAME
{
    ndone=$(grep -c '^done' "$1")
    ndiff=$(grep -c '^differs' "$1")
    grep '^differs' "$1" | head -n 20
    echo "| $2: $ndone compared, $ndiff differences"
    nbad=$((nbad + ndiff))
}
nbad=0

# ---- models ----

find "$SHARED/data" "$tree/examples" -name '*.onnx' -size -"$((most / 1024))"k |
    sort >"$tmp/models"
left=$(find "$SHARED/data" -name '*.onnx' | wc -l)
while read -r m; do
    m=$(realpath "$m")
    args=
    for f in "$(dirname "$m")"/test_data_set_0/input_*.pb; do
        [ -f "$f" ] && args="$args --input $f"
    done
    echo "$m$args"
done <"$tmp/models" |
    xargs -P "$jobs" -L 1 sh "$tmp/both.sh" >"$tmp/models.out" 2>&1
count "$tmp/models.out" "models ($((left - $(grep -c "$SHARED" "$tmp/models"))) larger left out)"

# ---- random graphs and graphs of tests ----

mkdir "$tmp/random"
"$new/tests/random_graphs" "$tmp/random" 1 "$n" || exit 2
cd "$tmp/random" || exit 2
for f in *.args; do
    sed "s|^|$tmp/random/${f%.args}.sn |; s|=|=$tmp/random/|g; s| *$||" "$f"
done | xargs -P "$jobs" -L 1 sh "$tmp/both.sh" >"$tmp/random.out" 2>&1
cd "$tree" || exit 2
count "$tmp/random.out" "random graphs"
find "$tree/tests" -name '*.sn' | sort |
    xargs -P "$jobs" -L 1 sh "$tmp/both.sh" >"$tmp/graphs.out" 2>&1
count "$tmp/graphs.out" "graphs of tests"

# ---- declarations ----

# One build on one file: as a backend of the tree's declarations, and alone.
cat >"$tmp/def.sh" <<'END'
f=$1
dir=$(mktemp -d "$tmp/def.XXXXXX")
for b in old new; do
    eval "bin=\$$b"
    mkdir -p "$dir/$b/out"
    for how in --nodes --backend; do
        "$bin/sinter-gen" $how "$f" -I . -o "$dir/$b/out" \
            >"$dir/$b/$(basename $how).out" 2>&1
        echo $? >>"$dir/$b/$(basename $how).out"
    done
done
diff -rq "$dir/old" "$dir/new" |
    sed "s|$dir/||g; s|^|differs $f: |" >"$dir/diff"
grep -vE '/out|out/' "$dir/diff"
grep -E '/out|out/' "$dir/diff" | sed 's/^differs/generated/'
echo "done"
rm -rf "$dir"
END
# The declarations that both read are this tree's.
find tests -name '*.def' | sort |
    xargs -P "$jobs" -L 1 sh "$tmp/def.sh" >"$tmp/defs.out" 2>&1
count "$tmp/defs.out" "declarations of tests"
for b in old new; do
    mkdir "$tmp/gen.$b"
    eval "bin=\$$b"
    # shellcheck disable=SC2046
    "$bin/sinter-gen" --nodes nodes.def --passes passes.def \
        $(for d in src/backend/*/*.def; do echo --backend "$d"; done) -I . \
        --report -o "$tmp/gen.$b" >"$tmp/gen.$b/report" 2>&1
done
diff -rq "$tmp/gen.old" "$tmp/gen.new" | sed "s|$tmp/||g; s/^/generated: /"
sed -n 's/.*out\/\(sn_[a-z_]*\.[ch]\|[a-z_]*\.[a-z]*\).*/\1/p' "$tmp/defs.out" |
    sort | uniq -c | sed 's/^/generated, of tests: /'
if [ "$nbad" -gt 0 ]; then
    echo "not ok same: $nbad differences"
    exit 1
fi
echo "ok same"
