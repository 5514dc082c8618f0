#!/usr/bin/env bash
# A whole campaign by commands alone, on the Cranfield collection: documents, topics, runs, pool, judgments, qrels, scores.
# usage: docs/guide/cranfield.sh FOLDER_OF_THE_COLLECTION      (RUNPOOL_DATA_DIR or RUNPOOL_DATABASE_URL: where it is stored)
set -euo pipefail
collection=$1
here=$(cd "$(dirname "$0")" && pwd)
manage="${PYTHON:-.venv/bin/python} manage.py"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
task=cranfield/abstracts

$manage migrate --verbosity 0
for user in olga asha amir tess; do $manage create_user "$user"; done

# The campaign and its task come from a file; it names organiser and assessors.
$manage create_campaign "$here/cranfield.toml" --as olga
$manage import_topics    $task "$collection/topics.trec.txt"     --as olga
$manage import_documents $task "$collection/documents.jsonl.gz"  --as olga
$manage open_task        $task                                   --as olga

# Runs are checked as they come; a run with errors is refused with its problems on stderr and exit code 1.
$manage submit_run $task "$collection"/runs/*.txt.gz --team Lexlab --create-team --as tess

# An existing qrels file gives scores at once.
$manage import_qrels        $task "$collection/qrels.graded.txt" --as olga
$manage score_runs          $task --as olga
$manage publish_leaderboard $task --note "By the collection's own judgments." --as olga

# The same by pooling and judging. Here a script judges: from the known grades; what they do not list, it cannot judge.
$manage freeze_pool $task --depth 10 --seed 1 --as olga
$manage export_pool $task > "$work/pool.txt"
cut -d' ' -f1 "$work/pool.txt" | uniq > "$work/topics.txt"
sed -n 'p;n' "$work/topics.txt" > "$work/asha.topics"
sed -n 'n;p' "$work/topics.txt" > "$work/amir.topics"
for assessor in asha amir; do
  $manage assign_topics $task --assessor $assessor --topics $(cat "$work/$assessor.topics") --as olga
  awk 'FILENAME == ARGV[1] { grade[$1, $3] = $4; next }
       FILENAME == ARGV[2] { mine[$1]; next }
       $1 in mine { printf "{\"topic\": \"%s\", \"docno\": \"%s\", \"grade\": %s}\n",
                           $1, $2, ($1, $2) in grade ? grade[$1, $2] : "null" }' \
      "$collection/qrels.graded.txt" "$work/$assessor.topics" "$work/pool.txt" > "$work/$assessor.jsonl"
  $manage record_judgments $task "$work/$assessor.jsonl" --as $assessor
done

$manage release_qrels       $task --as olga
$manage score_runs          $task --as olga
$manage publish_leaderboard $task --note "By the pool of depth 10." --as olga
$manage export_leaderboard  $task --number 1 --format csv
