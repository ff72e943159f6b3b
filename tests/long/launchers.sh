#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles split as docs/quantization.md shows, by GNU parallel, by mpirun and
# by a Slurm array on a cluster of only this machine: merged, each has the bytes
# of the single run.  The launchers are Debian packages, without emulation.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
sinter=$BUILD/sinter
m=$PWD/examples/demo/fashion_lrn.onnx
data=$PWD/examples/demo/calib_images.npy
tmp=$(mktemp -d)
mkdir "$tmp/slurm"
stop() {
    for p in slurmd slurmctld munged; do
        [ ! -s "$tmp/slurm/$p.pid" ] || kill "$(cat "$tmp/slurm/$p.pid")" 2>/dev/null
    done
    sleep 1
    rm -rf "$tmp"
}
trap stop EXIT
bad=0

# merged NAME: the parts NAME0.json ... add up to the single run.
merged() {
    if "$sinter" profile merge "$tmp/$1"[0-9]*.json -o "$tmp/$1.json" 2>"$tmp/log" &&
        cmp -s "$tmp/$1.json" "$tmp/whole.json"; then
        echo "ok launchers $1: $(find "$tmp" -name "$1[0-9]*.json" | wc -l) parts, merged as one run"
    else
        echo "not ok launchers $1: $(tail -n 1 "$tmp/log")"
        bad=1
    fi
}
# wait_for COMMAND...: until it succeeds, half a minute at most.
wait_for() {
    for _ in $(seq 60); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.5
    done
    return 1
}

"$sinter" profile "$m" --calib "$data" -n 61 --mul 0.0039216 -o "$tmp/whole.json" || exit 1
export sinter m data tmp

sh tools/deps.sh parallel || exit 1
seq 0 7 | parallel --will-cite "$sinter" profile "$m" --calib "$data" -n 61 \
    --mul 0.0039216 --shard '{}/8' -o "$tmp/parallel{}.json" >"$tmp/log" 2>&1
merged parallel

# As root and with more ranks than cores, which mpirun wants to be told.
sh tools/deps.sh openmpi-bin || exit 1
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe \
    -n 5 "$sinter" profile "$m" --calib "$data" -n 61 --mul 0.0039216 \
    --shard env -o "$tmp/mpirun{}.json" >"$tmp/log" 2>&1
merged mpirun

# A cluster of one node: keys, state and ports of its own.
sh tools/deps.sh slurmctld slurmd slurm-client munge || exit 1
if [ "$(id -u)" != 0 ]; then
    echo "skip launchers slurm: its daemons want to be root"
    exit $bad
fi
s=$tmp/slurm host=$(hostname -s)
mkdir "$s/state" "$s/spool"
chmod 755 "$tmp" "$s"
(umask 077 && dd if=/dev/urandom of="$s/key" bs=1 count=1024 2>/dev/null)
cat >"$s/slurm.conf" <<END
ClusterName=sinter
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$s/munge
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
SlurmctldPidFile=$s/slurmctld.pid
SlurmdPidFile=$s/slurmd.pid
SlurmctldLogFile=$s/slurmctld.log
SlurmdLogFile=$s/slurmd.log
SlurmctldPort=26817
SlurmdPort=26818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$s/slurm.conf"
{
    munged --force --key-file="$s/key" --socket="$s/munge" \
        --pid-file="$s/munged.pid" --log-file="$s/munged.log" --seed-file="$s/seed"
    slurmctld -c && slurmd -c
} >"$tmp/log" 2>&1
if ! wait_for sh -c 'sinfo -h -t idle | grep -q idle'; then
    echo "not ok launchers slurm: no idle node: $(tail -n 1 "$s/slurmctld.log")"
    exit 1
fi
cat >"$s/array.sh" <<'END'
#!/bin/sh
"$sinter" profile "$m" --calib "$data" -n 61 --mul 0.0039216 --shard env -o "$tmp/array{}.json"
END
sbatch --wait --array=3-9:2 --export=ALL -o "$s/array.%a.log" "$s/array.sh" >"$tmp/log" 2>&1
cat "$s"/array.*.log >>"$tmp/log" 2>/dev/null
merged array

# Every element of an array starts a step of two processes.
cat >"$s/steps.sh" <<'END'
#!/bin/sh
srun -n 2 "$sinter" profile "$m" --calib "$data" -n 61 --mul 0.0039216 --shard env -o "$tmp/steps{}.json"
END
n=$(nproc)
[ "$n" -lt 2 ] ||
    sbatch --wait -n 2 --array=0-2 --export=ALL -o "$s/steps.%a.log" "$s/steps.sh" >"$tmp/log" 2>&1
cat "$s"/steps.*.log >>"$tmp/log" 2>/dev/null
[ "$n" -lt 2 ] || merged steps
exit $bad
