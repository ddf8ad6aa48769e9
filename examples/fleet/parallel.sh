#!/bin/sh
# Runs the sweep with GNU parallel: parallel.sh [TASKS [HOSTS]]. HOSTS: a file of hosts as parallel's --sshloginfile has
# it; all of them see this folder under the same path. Started again, it runs the tasks that failed or were not reached.
set -eu
tasks=${1:-8} hosts=${2:-}
mkdir -p results
parallel --joblog results/parallel.txt --resume-failed --retries 3 --halt soon,fail=50% \
  ${hosts:+--sshloginfile "$hosts" --workdir "$PWD"} \
  apfctl sweep plan.yaml --partial results --task "{}/$tasks" --threads 1 --quiet ::: $(seq "$tasks")
apfctl sweep --merge results -o text=report.txt -o json=report.json
