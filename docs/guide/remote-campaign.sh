#!/usr/bin/env bash
# A whole campaign from another machine: nothing is needed but the address of the site, tokens, and Python 3.9 or newer.
# usage: docs/guide/remote-campaign.sh FOLDER ASSESSOR      (FOLDER: topics.tsv, documents.jsonl, run.txt, grades.jsonl)
#
# RUNPOOL_SITE is the address; ORGANISER_TOKEN has the scope organise, PARTICIPANT_TOKEN and ASSESSOR_TOKEN the scope submit.
# ASSESSOR is the assessor's user name. A line of grades.jsonl: {"topic": "1", "docno": "D-1", "grade": 2}
set -euo pipefail
data=$1 assessor=$2
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
campaign=garden task=garden/tools

curl -sSf -o "$work/runpool.py" "$RUNPOOL_SITE/api/client.py"
organiser()   { RUNPOOL_TOKEN=$ORGANISER_TOKEN   "$python" "$work/runpool.py" "$@"; }
participant() { RUNPOOL_TOKEN=$PARTICIPANT_TOKEN "$python" "$work/runpool.py" "$@"; }
assessor()    { RUNPOOL_TOKEN=$ASSESSOR_TOKEN    "$python" "$work/runpool.py" "$@"; }
field()       { "$python" -c 'import json, sys; [print(row[sys.argv[1]]) for row in json.load(sys.stdin)]' "$1"; }

# A campaign, somebody who judges, and a task.
organiser campaign create slug=$campaign title='Garden tools' registration=open
organiser people invite   $campaign person="$assessor" role=assessor
assessor  invitation answer "$(assessor invitation list --json | field id)" accept=true
organiser task create     $campaign slug=tools title='Tools' judging_mode=graded lowest_relevant_grade=1 \
  measures[]=nDCG@10 measures[]=AP

# Files are checked first; --yes imports what has no errors. Otherwise the problems are listed and the exit status is 1.
organiser topics upload    $task "$data/topics.tsv"      --yes
organiser documents upload $task "$data/documents.jsonl" --yes

# What the pages ask about needs --yes; without it the consequences are listed and the exit status is 3.
organiser task phase    $task phase=runs --yes
organiser campaign open $campaign        --yes

participant team create   name=Nova
participant team register $campaign team=nova
participant run submit    $task "$data/run.txt" team=nova tag=bm25 --wait
organiser   run list      $task state=valid

organiser pool preview $task strategy=depth-k settings.depth=3
organiser pool freeze  $task strategy=depth-k settings.depth=3 seed=1 --yes --wait
organiser pool download $task 1 -o "$work/pool.txt"
organiser assign distribute $task assessors[]="$assessor" --yes

# Here a file judges: of each topic the known grades of what the pool holds.
assessor judge list $task --json > "$work/assignments.json"
"$python" - "$work" "$data/grades.jsonl" <<'PYTHON'
import json, sys
work, grades = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]
pooled = {tuple(line.split()) for line in open(f"{work}/pool.txt")}
for one in json.load(open(f"{work}/assignments.json")):
    with open(f"{work}/{one['id']}.jsonl", "w") as file:
        for grade in grades:
            if grade["topic"] == one["topic"] and (grade["topic"], grade["docno"]) in pooled:
                file.write(json.dumps({"docno": grade["docno"], "grade": grade["grade"]}) + "\n")
PYTHON
for assignment in $(field id < "$work/assignments.json"); do
  assessor judge submit $task "$assignment" "$work/$assignment.jsonl"
done

organiser assign progress $task
organiser qrels release   $task note='Judged by the pool of depth 3.' --yes
organiser score status    $task --wait
organiser leaderboard publish $task audience=public note='The first board.' --yes
participant run scores    $task bm25
organiser leaderboard show $task 1 --json
