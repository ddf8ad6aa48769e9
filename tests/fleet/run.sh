#!/bin/bash
# The examples of a sweep on engines: GNU parallel, stopped and started again; the Job of Kubernetes, its manifests against
# the API's types and its arguments with each index. Each makes the bytes of one process. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD bin=$PWD/build/${VARIANT:-release}/bin
[ -x "$bin/apfctl" ] || { echo "$bin/apfctl cannot be run: make first"; exit 2; }
command -v parallel >/dev/null || { echo "there is no parallel: run .ci/deps.sh check-all"; exit 2; }
export PATH=$bin:$PATH
passed=0 failed=0
verdict() { # verdict NAME COMMAND...: passes when the command succeeds
  if "${@:2}"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED $1"
  fi
}
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
export PARALLEL_HOME=$folder/parallel HOME=$folder
mkdir -p "$PARALLEL_HOME" "$folder/work/logs" && touch "$PARALLEL_HOME/will-cite"
cp examples/fleet/*.{yaml,sh} "$folder/work"
cd "$folder/work" || exit 2
seed=0
for server in east north west; do
  seed=$((seed + 1))
  generate-amok-controller --requests 10000 --seed $seed | gzip -1 >logs/$server.log.gz
done
apfctl sweep plan.yaml -q -o text=one.txt -o json=one.json

# --- GNU parallel ------------------------------------------------------------------------------------

mv logs/west.log.gz west
verdict "parallel: tasks without their log fail" eval '! ./parallel.sh 6 >out 2>&1'
mv west logs/west.log.gz
./parallel.sh 6 >out 2>&1
verdict "parallel: started again, they are done" [ $? = 0 ]
verdict "parallel: those that were done are not done again" \
  [ "$(awk '$7 == 0 { n[$NF]++ } /task 1\/6/ { first++ } END { print first }' results/parallel.txt)" = 1 ]
verdict "parallel: the text of one process" cmp one.txt report.txt
verdict "parallel: the JSON of one process" cmp one.json report.json

# --- Kubernetes --------------------------------------------------------------------------------------

verdict "the manifests have the types of the API" "$root/tests/fleet/manifests.py" job.yaml merge-job.yaml volume.yaml
# broken NAME FILE SED: the manifest is wrong after that change.
broken() {
  sed "$3" "$2" >broken.yaml
  verdict "a manifest with $1 is found" eval '! cmp -s "$2" broken.yaml && ! "$root/tests/fleet/manifests.py" broken.yaml >out 2>&1 && [ -s out ]'
}
broken "an unknown field" job.yaml 's/backoffLimit/backofLimit/'
broken "a text for a number" job.yaml 's/completions: 8/completions: "8"/'
broken "tasks that no index counts" job.yaml '/completionMode/d'
broken "another number of tasks" job.yaml 's/completions: 8/completions: 9/'
broken "a volume without its claim" job.yaml "/claimName/d"
broken "an unknown quantity" job.yaml 's/memory: 4Gi}/memory: 4Gig}/'
broken "a volume that is not there" job.yaml 's/name: temporary  # .*/name: other/'
broken "pods that are always restarted" merge-job.yaml 's/restartPolicy: .*/restartPolicy: Always/'
broken "a volume of an unknown size" volume.yaml "s/100Gi/100Gig/"
rm -rf results report.json
arguments() { "$root/tests/fleet/manifests.py" --arguments "$1"; }
completions=$("$root/tests/fleet/manifests.py" --completions job.yaml)
for ((index = completions - 1; index >= 0; --index)); do
  mapfile -t words < <(arguments job.yaml)
  verdict "the task of index $index" env JOB_COMPLETION_INDEX=$index apfctl "${words[@]}" -q
done
mapfile -t words < <(arguments merge-job.yaml)
verdict "the merge" eval 'apfctl "${words[@]}" >report.txt'
verdict "kubernetes: the text of one process" cmp one.txt report.txt
verdict "kubernetes: the JSON of one process" cmp one.json report.json
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
