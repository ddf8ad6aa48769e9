#!/bin/bash
# The example of Slurm on a real cluster of one node: munged, slurmctld and slurmd on loopback, with their own folders and
# ports, started and stopped here. A task is killed in the middle; it is queued again, the merge waits for it, and the
# report has the bytes that one process writes. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
bin=$PWD/build/${VARIANT:-release}/bin
[ -x "$bin/apfctl" ] || { echo "$bin/apfctl cannot be run: make first"; exit 2; }
for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "there is no $program: run .ci/deps.sh fleet"; exit 2; }
done
export PATH=$bin:$PATH:/usr/sbin
passed=0 failed=0
verdict() { # verdict NAME COMMAND...: passes when the command succeeds
  if "${@:2}"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED $1"
  fi
}

# --- the cluster -----------------------------------------------------------------------------------

folder=$(mktemp -d /tmp/apfctl-slurm.XXXXXX) || exit 2
pids=()
stop() {
  for ((i = ${#pids[@]} - 1; i >= 0; --i)); do
    kill "${pids[i]}" 2>/dev/null
    for _ in {1..50}; do kill -0 "${pids[i]}" 2>/dev/null || break; sleep 0.1; done
    kill -KILL "${pids[i]}" 2>/dev/null
  done
  wait 2>/dev/null
  [ "$failed" = 0 ] && rm -rf "$folder" || echo "logs are kept in $folder"
}
trap stop EXIT
mkdir -m 700 "$folder"/{munge,state,spool,log,work} && chmod 755 "$folder" "$folder/munge" "$folder/work"
head -c 128 /dev/urandom >"$folder/munge/key" && chmod 400 "$folder/munge/key"
host=$(hostname -s) me=$(id -un) port=$((20000 + $$ % 20000))
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=apfctl
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=20
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(awk '/^MemTotal/ {print int($2 / 1024) - 1}' /proc/meminfo) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
start() { # start NAME COMMAND...
  "${@:2}" >"$folder/log/$1" 2>&1 &
  pids+=($!)
}
start munged munged --foreground --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" \
  --pid-file="$folder/munge/pid" --log-file="$folder/log/munge" --seed-file="$folder/munge/seed"
for _ in {1..100}; do [ -S "$folder/munge/socket" ] && break; sleep 0.1; done
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
for _ in {1..300}; do [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break; sleep 0.1; done
verdict "a cluster of one node is there" [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]
[ "$failed" = 0 ] || { tail -n 5 "$folder"/log/*; echo "$passed passed, $failed failed"; exit 1; }

# --- the example -----------------------------------------------------------------------------------

cp examples/fleet/{plan.yaml,wanted.yaml,submit.sh,sweep.sbatch,merge.sbatch} "$folder/work"
cd "$folder/work" || exit 2
mkdir logs
seed=0
for server in east north west; do
  seed=$((seed + 1))
  generate-amok-controller --requests "${REQUESTS:-60000}" --seed $seed | gzip -1 >logs/$server.log.gz
done
apfctl sweep plan.yaml -q -o text=one.txt -o json=one.json
tasks=4 victim=2
read -r array merge < <(./submit.sh $tasks)
verdict "an array and its merge are submitted" [ -n "${merge:-}" ]

# The process of one task, as soon as there is one.
process_of() {
  for process in $(pgrep -x apfctl); do
    tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "SLURM_ARRAY_TASK_ID=$1" &&
      tr '\0' '\n' <"/proc/$process/environ" | grep -qx "SLURM_CONF=$SLURM_CONF" && echo "$process" && return
  done
}
process=
for _ in {1..1200}; do
  process=$(process_of $victim)
  [ -n "$process" ] && break
  sleep 0.05
done
verdict "task $victim runs" [ -n "$process" ]
sleep 0.2
verdict "it is killed in the middle" kill -KILL "${process:-0}"
verdict "it has left no result" [ ! -e results/task-$victim-of-$tasks.json ]

# What is queued again starts once its old credentials have expired: after cred_expire, 120 s by default.
for _ in {1..3000}; do
  state=$(scontrol show job "$merge" 2>/dev/null | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
  case $state in COMPLETED | FAILED | CANCELLED) break ;; esac
  sleep 0.1
done
verdict "the merge has waited for all tasks, and ended well" [ "$state" = COMPLETED ]
verdict "the task was queued again" grep -q 'queued again' results/slurm-$victim.txt
verdict "it was started twice" [ "$(scontrol show job "${array}_$victim" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p')" = 1 ]
verdict "all tasks have a result" [ "$(ls results/task-*-of-$tasks.json | wc -l)" = $tasks ]
verdict "the merged text is that of one process" cmp one.txt report.txt
verdict "the merged JSON is that of one process" cmp one.json report.json

# A part of the array as an array of its own.
sbatch --wait --parsable --array=3 --export="ALL,TASKS=$tasks" sweep.sbatch >/dev/null 2>&1
verdict "a part of the array that is submitted alone is refused" grep -q 'SLURM_ARRAY_TASK_COUNT is 1, but --task is /4' results/slurm-3.txt
[ "$failed" = 0 ] || tail -n 20 results/slurm-*.txt "$folder"/log/*
cd / || exit 2
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
