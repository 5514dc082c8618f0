#!/usr/bin/env bash
# The data of a version, made by that version: the demo's finished campaign and one that is open, as a backup.
# usage: tests/upgrades/make_data.sh CHECKOUT tests/upgrades/data/VERSION.tar.xz      (PYTHON: where CHECKOUT has no .venv)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$1" && pwd)
target=$(realpath "$2")
folder=$(mktemp -d)
export RUNPOOL_DATA_DIR=$folder DATA_DIR=$folder  # the second name is that of version 1.0
trap 'rm -rf "$folder"' EXIT
manage() { (cd "$program" && "${PYTHON:-.venv/bin/python}" manage.py "$@"); }

manage migrate --verbosity 0
manage load_demo
manage create_campaign "$here/open.toml" --as organiser
manage import_topics upgraded/ad-hoc "$here/topics.tsv" --as organiser
manage open_task upgraded/ad-hoc --as organiser
manage submit_run upgraded/ad-hoc "$here/run.txt" --team Early --create-team --as reader
manage verify
manage backup "$folder/backup"
tar -C "$folder/backup" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$target" .
