#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model with weights in a file next to it is completely the old one or the new
# one, whatever happens to the process that writes it: killed at each call on
# files, ended by signals, each call failed once, and two writers at once.
# Running out of memory in the reader of JSON gives exit code 6.
# PAIRS: how many pairs of writers.
suite=crash
. tests/sh_case.sh
fault=$BUILD/tests/fault.so
PAIRS=${PAIRS:-20}

# model FACTOR: a graph with two constants that go to a sidecar file.
model() {
    echo 'sinter-graph 1'
    echo 'graph "g" {'
    echo '  %x = Placeholder() : f32[128]'
    for k in 1 2; do
        awk -v k=$k -v f="$1" 'BEGIN { printf "  %%c%d = Constant() {data = [", k
            for (i = 0; i < 128; i++) printf "%s%d", i ? ", " : "", i * f + k
            print "]} : f32[128]" }'
    done
    printf '  %%y = Add(%%x, %%c1) : f32[128]\n  %%z = Mul(%%y, %%c2) : f32[128]\n'
    printf '  Save(%%z) {name = "z"}\n}\n'
}
# what FILE: which model it is, in words.
what() {
    "$sinter" opt "$1" --passes=dce >"$tmp/read" 2>"$tmp/read.err" || {
        echo "unreadable ($(head -n 1 "$tmp/read.err"))"
        return
    }
    for w in old new third; do
        cmp -s "$tmp/read" "$tmp/$w.txt" && echo $w && return
    done
    echo mixed
}
# names of the two files: a text and one sidecar file, nothing else.
two() { [ "$(ls "$tmp/d" | sed 's/\.[0-9a-f]\{16\}\./.HASH./')" = "m.HASH.snw
m.sn" ]; }

for w in old:1 new:2 third:3; do
    model "${w#*:}" >"$tmp/${w%:*}.sn"
    "$sinter" opt "$tmp/${w%:*}.sn" --passes=dce >"$tmp/${w%:*}.txt" || exit 1
done
save() { "$sinter" opt "$tmp/$1.sn" --passes=dce -o "$tmp/d/m.sn" 2>"$tmp/err"; }
fresh() {
    rm -rf "$tmp/d"
    mkdir "$tmp/d"
    save old
}
fresh
old=$(basename "$(side "$tmp/d/m.sn")")
FAULT_SET=io FAULT_COUNT=$tmp/n LD_PRELOAD=$fault "$sinter" \
    opt "$tmp/new.sn" --passes=dce -o "$tmp/d/m.sn" || exit 1
n=$(cat "$tmp/n")
if two && [ "$(what "$tmp/d/m.sn")" = new ] && [ "$n" -gt 20 ]; then
    echo "ok crash replaced: one sidecar file, $n calls"
else
    echo "not ok crash replaced: $(ls "$tmp/d"), $n calls"
    bad=1
fi

# sweep NAME HOW: at each call; a signal's number or fail.
sweep() {
    nold=0 nnew=0 nbad=0 i=0
    while [ $((i += 1)) -le "$n" ]; do
        fresh
        (FAULT_SET=io FAULT_AT=$i FAULT_HOW=$2 LD_PRELOAD=$fault "$sinter" opt \
            "$tmp/new.sn" --passes=dce -o "$tmp/d/m.sn") >"$tmp/o" 2>&1
        rc=$?
        is=$(what "$tmp/d/m.sn")
        case $is in
        old) nold=$((nold + 1)) ;;
        new) nnew=$((nnew + 1)) ;;
        *)
            echo "| $1 at call $i: $is"
            nbad=$((nbad + 1))
            ;;
        esac
        # Nobody cleans up after kill -9.  Where the lock, the old text or the
        # directory fails, the old sidecar file may be named yet.
        case $2:$is in
        9:*) ;;
        fail:new) rm -f "$tmp/d/$old" ;;
        esac
        if [ "$2" != 9 ] && ! two; then
            echo "| $1 at call $i: leaves" $(ls "$tmp/d")
            nbad=$((nbad + 1))
        fi
        case $2:$rc:$is in
        fail:0:new | fail:3:old | fail:5:* | fail:6:old) ;;
        fail:*)
            echo "| $1 at call $i: exit code $rc, $is: $(head -n 1 "$tmp/o")"
            nbad=$((nbad + 1))
            ;;
        esac
    done
    # Who starts this in the background has it ignore SIGINT.
    if [ $nbad -eq 0 ] && { [ $nold -gt 0 ] || [ "$2" = 2 ]; }; then
        echo "ok crash $1: $nold old, $nnew new"
    else
        echo "not ok crash $1: $nbad of $n calls"
        bad=1
    fi
}
# The shell says what ended a child.
sweep kill 9 2>/dev/null
sweep terminate 15 2>/dev/null
sweep interrupt 2 2>/dev/null
sweep fail fail

# The files of sinter-gen: all or none, at every 11th call.  Only renames that
# fail, which are the last, leave some of them.
gen() {
    rm -rf "$tmp/g"
    FAULT_SET=io LD_PRELOAD=$fault "$BUILD/sinter-gen" --no-prove --nodes tests/gen/mini.def \
        -I . -o "$tmp/g" >"$tmp/o" 2>&1
}
FAULT_COUNT=$tmp/n gen || exit 1
n=$(cat "$tmp/n") files=$(ls "$tmp/g")
for how in 15 fail; do
    i=1 nbad=0 nall=0 last=$n
    [ $how = 15 ] || last=$((n - $(echo "$files" | wc -w) - 5))
    while [ $i -le "$last" ]; do
        (FAULT_AT=$i FAULT_HOW=$how gen)
        rc=$? left=$(ls -A "$tmp/g" 2>/dev/null)
        case $how:$rc:$left in
        15:143: | fail:[1356]:) ;;
        *:0:"$files" | 15:143:"$files" | fail:5:"$files") nall=$((nall + 1)) ;;
        *)
            echo "| sinter-gen, $how at call $i: exit code $rc, $(echo "$left" | wc -w) files"
            nbad=$((nbad + 1))
            ;;
        esac
        i=$((i + 11))
    done
    if [ $nbad -eq 0 ] && [ "$n" -gt 200 ]; then
        echo "ok crash generator $how: $nall whole"
    else
        echo "not ok crash generator $how: $nbad of $n calls"
        bad=1
    fi
done 2>/dev/null

# A file that grows too large is a write that fails, also where the signal is
# not ignored by who starts the program.
fresh
(ulimit -f 1; save new)
rc=$?
if [ $rc -eq 5 ] && two && [ "$(what "$tmp/d/m.sn")" = old ]; then
    echo "ok crash too_large"
else
    echo "not ok crash too_large: exit $rc, $(ls "$tmp/d")"
    bad=1
fi

# A reader, before each of whose calls the model is replaced: it has the old or
# the new one.
fresh
FAULT_SET=io FAULT_COUNT=$tmp/n LD_PRELOAD=$fault "$sinter" inspect "$tmp/d/m.sn" >"$tmp/o" 2>&1 || exit 1
n=$(cat "$tmp/n") nbad=0 i=0
while [ $((i += 1)) -le "$n" ]; do
    fresh
    FAULT_SET=io FAULT_AT=$i FAULT_HOW=run LD_PRELOAD=$fault \
        FAULT_RUN="'$sinter' opt '$tmp/new.sn' --passes=dce -o '$tmp/d/m.sn'" \
        "$sinter" inspect "$tmp/d/m.sn" >"$tmp/o" 2>&1 || {
        echo "| replaced before call $i of a reader: $(head -n 1 "$tmp/o")"
        nbad=$((nbad + 1))
    }
done
if [ $nbad -eq 0 ] && [ "$n" -gt 5 ] && [ "$(what "$tmp/d/m.sn")" = new ]; then
    echo "ok crash reader: $n calls"
else
    echo "not ok crash reader: $nbad of $n calls"
    bad=1
fi

# Two writers and a reader.
nbad=0 i=0
fresh
while [ $((i += 1)) -le "$PAIRS" ]; do
    save new & a=$!
    save third & b=$!
    "$sinter" inspect "$tmp/d/m.sn" >/dev/null 2>"$tmp/reader" || {
        echo "| pair $i: the reader says $(head -n 1 "$tmp/reader")"
        nbad=$((nbad + 1))
    }
    wait $a && wait $b && two || nbad=$((nbad + 1))
    case $(what "$tmp/d/m.sn") in
    new | third) ;;
    *) nbad=$((nbad + 1)) ;;
    esac
done
if [ $nbad -eq 0 ]; then
    echo "ok crash writers: $PAIRS pairs"
else
    echo "not ok crash writers: $nbad of $PAIRS pairs"
    bad=1
fi

# The first allocations are those before the reader, the last the profile's.
"$BUILD/tests/mkdata" "$tmp/x.npy" 2 128 || exit 1
for k in 0 1; do
    "$sinter" profile "$tmp/old.sn" --calib "$tmp/x.npy" --skip $k -n 1 -o "$tmp/p$k.json" || exit 1
done
nbad=0 i=0
while [ $((i += 1)) -le 60 ]; do
    (FAULT_SET=alloc FAULT_AT=$i LD_PRELOAD=$fault "$sinter" profile merge "$tmp/p0.json" \
        "$tmp/p1.json" -o "$tmp/p.json") >"$tmp/o" 2>&1
    rc=$?
    [ $rc -eq 6 ] && grep -q 'out of memory' "$tmp/o" && [ ! -e "$tmp/p.json" ] || {
        echo "| allocation $i fails: exit $rc: $(head -n 1 "$tmp/o")"
        nbad=$((nbad + 1))
    }
done
if [ $nbad -eq 0 ]; then
    echo "ok crash json"
else
    echo "not ok crash json: $nbad of 60 allocations"
    bad=1
fi

# So is memory that runs out while a model is read, its weights included; the
# standard output does without its buffer.
FAULT_SET=alloc FAULT_COUNT=$tmp/n LD_PRELOAD=$fault "$sinter" inspect "$tmp/d/m.sn" \
    >"$tmp/plain" || exit 1
n=$(cat "$tmp/n") nbad=0 i=0
while [ $((i += 1)) -le "$n" ]; do
    (FAULT_SET=alloc FAULT_AT=$i LD_PRELOAD=$fault "$sinter" inspect "$tmp/d/m.sn") >"$tmp/o" 2>&1
    rc=$?
    [ $rc -eq 6 ] || { [ $rc -eq 0 ] && cmp -s "$tmp/o" "$tmp/plain"; } || {
        echo "| allocation $i of a reader fails: exit $rc: $(head -n 1 "$tmp/o")"
        nbad=$((nbad + 1))
    }
done
if [ $nbad -eq 0 ] && [ "$n" -gt 5 ]; then
    echo "ok crash memory: $n allocations"
else
    echo "not ok crash memory: $nbad of $n allocations"
    bad=1
fi
exit $bad
