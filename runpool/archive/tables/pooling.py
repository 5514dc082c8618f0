"""What archives keep of pools."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import cast

from django.core.exceptions import ValidationError

from campaign.formats.parquet import read_parquet_table
from campaign.models import Task
from pooling.core.strategies.frames import FRAME_SCHEMA
from pooling.core.strategies.parameters import PoolSpecError
from pooling.core.strategies.registry import STRATEGIES
from pooling.core.strategies.spec import PoolSpec
from pooling.core.strategies.strata import ESTIMATORS
from pooling.models import DuplicateSearch, Pool, PoolChoice, PoolEntry, PoolRun, Search, TopicStop, Twin
from pooling.selectors.pools import pool_text
from runpool.archive.table import Check, JsonRow, Others, Place, ReadFile, StoredColumn, Table, hashable

POOLED, POOLED_AT_ALL = "pooled documents", "documents of topics"


def _check_spec(values: JsonRow, read: ReadFile) -> None:
    """The spec of a strategy that this version has can be read; pages show that of another as it stands."""
    if values.get("sampled_by") not in (None, "", *ESTIMATORS):
        raise ValidationError("It is a sample of a kind that this version does not know.")
    if values.get("frame"):
        try:
            read_parquet_table(read("frame"), FRAME_SCHEMA)
        except ValueError as problem:
            raise ValidationError(f"The documents that were not drawn cannot be read. {problem}") from problem
    if values["strategy"] in STRATEGIES:
        try:
            PoolSpec.from_json(values.get("spec"))
        except PoolSpecError as problem:
            raise ValidationError(str(problem)) from problem


def pooled_documents(others: Others) -> dict[tuple[int, str], set[str]]:
    """The docnos of each pool and topic."""
    if POOLED not in others.kept:
        pooled: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
        for _, pool, topic, docno in others.columns(PoolEntry, "pool", "topic", "docno"):
            pooled[pool, topic].add(sys.intern(docno))  # later versions hold mostly the same
        others.kept[POOLED] = dict(pooled)
    return cast(dict[tuple[int, str], set[str]], others.kept[POOLED])


def documents_of_topics(others: Others) -> dict[str, set[str]]:
    """The docnos of each topic, of all pools of the task."""
    if POOLED_AT_ALL not in others.kept:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for (_, topic), docnos in pooled_documents(others).items():
            found[topic] |= docnos
        others.kept[POOLED_AT_ALL] = dict(found)
    return cast(dict[str, set[str]], others.kept[POOLED_AT_ALL])


def require_pooled(docnos: set[str] | None, name: str, docno: str, where: str) -> None:
    if docnos is None or docno not in docnos:
        raise ValidationError(f"“{name}” is {docno}: there is no such document in {where}.")


def _twin_check(others: Others) -> Check:
    """Classes of near-identical documents come of a search, and are documents of the pool."""
    searched = {pool for _, pool in others.columns(DuplicateSearch, "pool")}
    pooled = pooled_documents(others)

    def check(values: JsonRow, read: ReadFile) -> None:
        pool, topic = hashable(values["pool"]), hashable(values["topic"])
        if pool not in searched:
            raise ValidationError(f"“pool” is {pool}: no search for near-duplicates of this pool is in the archive.")
        for name in ("docno", "representative"):
            require_pooled(pooled.get((pool, topic)), name, values[name], f"topic {topic} of pool {pool}")

    return check


def _frame_place(row: JsonRow) -> Place:
    return ("pools", f"v{row['version']}-not-drawn")


def pool_files(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """Each version's file, whose SHA-256 the pool names."""
    for pool in Pool.objects.filter(task=task).order_by("version"):
        yield ("pools", f"v{pool.version}.txt"), [pool_text(pool)]


FRAME = StoredColumn("frame", "pools", ".parquet", _frame_place, ".parquet", "frame_sha256")
TABLES = (
    Table(Pool, "pools/pools", "task", key=("version",), files=(FRAME,), check=_check_spec),
    Table(PoolRun, "pools/runs", "pool__task", referred=False),
    Table(PoolEntry, "pools/entries", "pool__task", referred=False),
    Table(PoolChoice, "pools/choices", "pool__task", referred=False),
    Table(TopicStop, "pools/stops", "pool__task", referred=False),
    Table(Search, "pools/searches", "pool__task", referred=False),
    Table(DuplicateSearch, "pools/duplicate_searches", "pool__task"),
    Table(Twin, "pools/twins", "pool__task", referred=False, against=_twin_check),
)
