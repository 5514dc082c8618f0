"""trectools' pool of depth 100 of the made-up campaign, for `benchmarks.pools`; run by a Python that has trectools.

`PYTHON trectools_pool.py FOLDER` prints as JSON the seconds of reading and of `make_pool`, its processor time, and how many
pairs are pooled.
"""

import json
import sys
import time
from pathlib import Path

from trectools import TrecPoolMaker, TrecRun

DEPTH = 100

started = time.perf_counter()
runs = [TrecRun(str(path)) for path in sorted(Path(sys.argv[1]).glob("run*.txt"))]
reading = time.perf_counter() - started
started, spent = time.perf_counter(), time.process_time()
pool = TrecPoolMaker().make_pool(runs, strategy="topX", topX=DEPTH)
answer = {"reading": reading, "seconds": time.perf_counter() - started, "processor": time.process_time() - spent}
print(json.dumps({**answer, "pairs": sum(map(len, pool.pool.values()))}))
