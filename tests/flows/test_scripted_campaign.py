"""The script of the guide, run as it stands there, on a real collection with real runs."""

import csv
import io
import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.places import CRANFIELD, REPOSITORY

LONGEST_SECONDS = 900
NAMES = {
    "AP": "map",
    "nDCG@10": "ndcg_cut_10",
    "P@10": "P_10",
    "RR": "recip_rank",
    "R@100": "recall_100",
    "bpref": "bpref",
}

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.skipif(not CRANFIELD.is_dir(), reason="needs the Cranfield collection in ../shared/data/cranfield"),
]


def played(data: Path) -> str:
    """What the script of the guide prints."""
    environment = {
        **{
            key: value for key, value in os.environ.items() if key not in {"RUNPOOL_DATABASE_URL", "RUNPOOL_BROKER_URL"}
        },
        "RUNPOOL_DATA_DIR": str(data),
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
    }
    commands = Commands(environment, imports=("runpool.urls",))  # for the addresses in what commands print and mail
    environment["PYTHON"] = commands.python()
    script = [str(REPOSITORY / "docs" / "guide" / "cranfield.sh"), str(CRANFIELD)]
    run = subprocess.run(
        script, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=LONGEST_SECONDS
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_scripted_campaign_has_15_valid_runs_a_judged_pool_and_the_numbers_of_trec_eval(tmp_path: Path) -> None:
    """One test, since every process that runs a part of it would have to play the campaign."""
    output = played(tmp_path)
    assert output.count(": valid, ") == 15
    # By score, as everywhere here. By the rank columns the pool would hold 8,026 pairs: see docs/decisions/0006.
    assert "8,027 pairs" in output
    recorded = [int(line.split()[0].replace(",", "")) for line in output.splitlines() if line.endswith(" recorded")]
    assert len(recorded) == 2
    assert sum(recorded) == 8027
    assert "qrels v2: 1,090 judgments of 219 topics" in output, "pairs that could not be judged are no judgments"
    table = output[output.index("run,team,kind") :]
    ours = {row["run"]: row for row in csv.DictReader(io.StringIO(table))}
    with (CRANFIELD / "reference" / "table.csv").open(encoding="utf-8") as file:
        theirs = {row["run"]: row for row in csv.DictReader(file)}
    assert set(ours) == set(theirs)
    assert len(theirs) == 15
    for tag, row in theirs.items():
        found = {name: f"{float(ours[tag][name]):.4f}" for name in NAMES}
        assert found == {name: row[theirs_name] for name, theirs_name in NAMES.items()}, tag
