#!/bin/sh
# Submits the sweep to Slurm: submit.sh [TASKS]. Prints the numbers of the array and of the merge that waits for it.
set -eu
tasks=${1:-8}
mkdir -p results
array=$(sbatch --parsable --array="1-$tasks" --export="ALL,TASKS=$tasks" sweep.sbatch)
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes merge.sbatch)
echo "$array $merge"
