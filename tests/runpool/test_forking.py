"""The web server loads the site once and forks its processes (`gunicorn --preload`): each has what it opens for itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests.places import REPOSITORY

LOAD_AND_FORK = """
import gc, json, os, signal, threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import runpool.wsgi

not_frozen = len(gc.get_objects())
signal.alarm(60)  # a child that waits for a thread of its parent waits for ever
files = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink() and path.exists()]
sockets = [str(file) for file in files if str(file).startswith("socket:")]
threads = [thread.name for thread in threading.enumerate()]
pools = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]


def backend(_place):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), pg_sleep(0.2)")
        return cursor.fetchone()[0]


def work():
    import numpy as np
    import polars as pl
    import re2

    frame = pl.DataFrame({"topic": ["1", "2"] * 500, "grade": range(1000)})
    summed = frame.lazy().group_by("topic").agg(pl.col("grade").sum()).sort("topic").collect()["grade"].to_list()
    square = float((np.ones((300, 300)) @ np.ones((300, 300))).sum())
    with ThreadPoolExecutor(3) as executor:
        backends = sorted(set(executor.map(backend, range(3))))
    return {"summed": summed, "square": square, "matches": bool(re2.match("d[0-9]+$", "d12")), "backends": backends}


reads = []
for _ in range(2):
    read, write = os.pipe()
    if os.fork() == 0:
        signal.alarm(30)
        os.write(write, json.dumps(work()).encode())
        os._exit(0)
    os.close(write)
    reads.append(read)
children = [json.loads(open(read).read() or "null") for read in reads]
print(json.dumps({"not_frozen": not_frozen, "sockets": sockets, "threads": threads, "pools": pools, "children": children}))
"""


@pytest.mark.skipif(connection.vendor != "postgresql", reason="connections of a pool are those to PostgreSQL")
def test_processes_that_fork_from_a_loaded_site_share_no_connection_and_no_thread(tmp_path: Path) -> None:
    given = {
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
        "RUNPOOL_DATA_DIR": str(tmp_path),
        "RUNPOOL_DATABASE_POOL": "3",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOAD_AND_FORK],
        cwd=REPOSITORY,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["sockets"], found["threads"]) == ([], ["MainThread"])
    assert found["not_frozen"] < 1000, "the garbage collector of a process would write to what it shares"
    assert not [name for name in found["pools"] if name.startswith("polars-") and name[-1].isdigit()]
    first, second = found["children"]
    for child in (first, second):
        assert (child["summed"], child["square"], child["matches"]) == ([249500, 250000], 27e6, True)
        assert len(child["backends"]) == 3
    assert not set(first["backends"]) & set(second["backends"])
