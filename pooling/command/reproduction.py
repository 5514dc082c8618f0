"""The command line that draws a frozen pool again, with every word quoted for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from pooling.core.strategies.spec import PoolSpec

TOPICS, TEAMS = "topics.tsv", "runs.csv"
"""The files that go with the command, as the pages of a task offer them."""


def command_line(
    spec: PoolSpec, runs: Sequence[str], max_documents: int, priorities: Mapping[str, int], engine: str
) -> str:
    """`python -m pooling draw` with the settings of a pool, for the runs with these tags (or checksums) in the table of runs.

    All settings are written out, also those that are defaults now, but for empty lists. Which runs are pooled is said by
    naming them. `priorities` by tag are those of then, which the table may no longer have; they are written where the strategy
    reads them. `engine`: the version that drew the pool.

    >>> spec = PoolSpec.with_defaults("depth-k", {"depth": 20}, seed=7)
    >>> print(command_line(spec, ["bm25", "$(rm -r .)"], 1000, {"bm25": 1}, "1").replace(chr(92), "/"))
    python -m pooling draw --strategy depth-k --set depth=20 --order random --seed 7 --engine 1 /
      --run-order score --trec-eval-version 10 --max-documents 1000 --topics topics.tsv --teams runs.csv /
      -- bm25 '$(rm -r .)'
    """
    pool = ["python", "-m", "pooling", "draw", "--strategy", spec.strategy]
    for parameter in spec.method.parameters:
        value = spec.parameters[parameter.name]
        if value != parameter.default or parameter.to_text(value):
            pool += ["--set", f"{parameter.name}={parameter.to_text(value)}"]
    pool += ["--order", spec.order, "--seed", str(spec.seed), "--engine", engine]
    read = ["--run-order", spec.run_order, "--trec-eval-version", spec.reference, "--max-documents", str(max_documents)]
    read += ["--topics", TOPICS, "--teams", TEAMS]
    if spec.method.reads_priorities(spec.parameters):
        # One word each: the tag of a run may begin with a dash.
        read += [f"--priority={tag}={priority}" for tag, priority in priorities.items()]
    return " \\\n  ".join(shlex.join(words) for words in (pool, read, ["--", *runs]))
