"""Pools that were made elsewhere: checked by a job, and frozen by another once an organiser confirms."""

import hashlib
from dataclasses import dataclass
from io import BytesIO

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from campaign.collection.selectors.documents import docnos
from campaign.collection.selectors.topics import topic_numbers
from campaign.collection.services.imports import (
    PREVIEWED,
    ImportJobs,
    encoding_of,
    import_file,
    import_finish,
    import_finish_check,
    import_refuse,
)
from campaign.collection.services.topic_matching import tell_of_topics, topics_asked_for, without_topics
from campaign.formats.problems import ProblemLog
from campaign.log.audit import audit
from campaign.models import Import, Task
from campaign.permissions import locked_task_or_404
from campaign.runs.selectors.residual import residual
from campaign.setup.services.closing import close_for_pool
from campaign.setup.services.tasks import task_advance
from campaign.storage import store
from campaign.text.plurals import number_of
from pooling.core.files.read import POOL_LIMITS, PoolRead, PoolRules, read_pool
from pooling.core.preview.coverage import first_missing
from pooling.core.preview.pool_sizes import without
from pooling.core.strategies.declaration import PAIR, appearances, documents
from pooling.core.strategies.drawing import ENTRY_COLUMNS, pool_file
from pooling.core.strategies.frames import FRAME_SCHEMA, frame_file
from pooling.core.strategies.judging_order import ORDERS, in_judging_order
from pooling.core.strategies.strata import sampled_by
from pooling.models import Pool
from pooling.selectors.pools import latest_pairs
from pooling.selectors.runs import pooled_run, valid_runs
from pooling.services.duplicates import search_request
from pooling.services.entries import entries_store

POOL_JOBS = ImportJobs(check="check pool", apply="apply pool")
RANDOM = "shuffle"
"""The option of an import by which documents are judged in random order, not in that of the file."""


def pool_check(import_: Import) -> None:
    read = _read(import_)
    import_finish_check(
        import_,
        format=read.format,
        records=read.lines,
        preview=[] if read.drawn is None else read.drawn.head(PREVIEWED).to_dicts(),
        problems=read.problems,
    )


def pool_apply(import_: Import) -> None:
    """Freeze the pool in the transaction that finishes the import, or report what became invalid meanwhile."""
    read = _read(import_)
    if read.drawn is None or not read.problems.ok:
        import_refuse(import_, read.problems)
        return
    entries, whole = _entries(import_, read.drawn)
    try:
        with transaction.atomic():
            _freeze(import_, entries, read.frame, whole)
            import_finish(import_)
    except ValidationError as refusal:
        problems = ProblemLog()
        for message in refusal.messages:
            problems.add("pool_refused", message, "No pool was frozen.")
        import_refuse(import_, problems)


def _read(import_: Import) -> PoolRead:
    task = import_.task
    topics = frozenset(topic_numbers(task))
    if not topics:
        return PoolRead(None, None, without_topics(), 0, 0)
    matches = topics_asked_for(import_, topics, POOL_LIMITS)
    rules = PoolRules(topics=topics, topic_names=matches, docnos=docnos(task))
    with import_file(import_) as file:
        read = read_pool(file, rules, encoding=encoding_of(import_))
    tell_of_topics(import_, topics, POOL_LIMITS, matches, read.problems)
    if read.drawn is not None:
        _refuse_judged_before(task, read.drawn, read.problems)
    if read.drawn is not None and read.problems.ok:
        _warn_of_topics(task, read)
        _warn_of_what_it_replaces(task, read.drawn, read.problems)
    return read


def _refuse_judged_before(task: Task, drawn: pl.DataFrame, problems: ProblemLog) -> None:
    judged = drawn.height - residual(task, drawn.select(PAIR)).height
    if judged:
        message = (
            f"{number_of(judged, 'pair')} of the file {'was' if judged == 1 else 'were'} judged in an earlier round."
        )
        problems.add("pool_judged_before", message, "Take them out: a residual round judges new pairs only.")


def _warn_of_topics(task: Task, read: PoolRead) -> None:
    missing = len(topic_numbers(task)) - read.topics
    if missing:
        message = f"{number_of(missing, 'topic')} of the task without a line."
        read.problems.add(
            "pool_topics_missing", message, "Nothing will be judged for them by this pool.", severity="warning"
        )


def _warn_of_what_it_replaces(task: Task, drawn: pl.DataFrame, problems: ProblemLog) -> None:
    latest = Pool.objects.filter(task=task).order_by("-version").first()
    dropped = 0 if latest is None else without(latest_pairs(task), drawn.select(PAIR)).height
    if latest is not None and dropped:
        held = (
            f"{number_of(dropped, 'pair')} of pool {latest.version} {'is' if dropped == 1 else 'are'} not in this file."
        )
        remedy = "They leave the pool; what is judged of them is kept. Add them to the file if they are to stay."
        problems.add("pool_pairs_dropped", held, remedy, severity="warning")


def _entries(import_: Import, drawn: pl.DataFrame) -> tuple[pl.DataFrame, int | None]:
    """The entries as a draw gives them, and the depth to which they hold every run on the topics of the file.

    Positions and depth are by the valid runs of today, of which the file says nothing; without runs there is no depth.
    """
    task = import_.task
    topics = topic_numbers(task)
    entries = drawn.with_columns(pl.col("topic").cast(pl.Enum(topics))).with_row_index("line")
    parts, depths = [appearances([], topics, None)], _Depths(entries)
    for run in valid_runs(task):
        held = appearances([pooled_run(run)], topics, None)
        depths.look(held)
        parts.append(held.join(entries, on=PAIR, how="semi"))
    held = documents(pl.concat(parts))
    entries = entries.join(held.drop("position_sum"), on=PAIR, how="left").with_columns(
        pl.col("best_position", "run_count").fill_null(0)
    )
    if import_.options.get(RANDOM, False):
        ordered = in_judging_order(entries, ORDERS["random"], seed=0)
    else:
        place = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).over("topic")
        ordered = entries.sort("topic", "line").with_columns(place.alias("position"))
    return ordered.select(ENTRY_COLUMNS).cast({"topic": pl.String}), depths.whole


@dataclass(slots=True)
class _Depths:
    """The depth to which entries hold all runs that are looked at, one after the other; None before the first."""

    entries: pl.DataFrame
    missing: int | None = None
    deepest: int | None = None

    @property
    def whole(self) -> int | None:
        return self.deepest if self.missing is None else self.missing - 1

    def look(self, held: pl.DataFrame) -> None:
        held = held.join(self.entries, on="topic", how="semi")
        self.deepest = max(self.deepest or 0, int(held["position"].to_numpy().max(initial=0)))
        missing = [place for place in (self.missing, first_missing(held, self.entries)) if place is not None]
        self.missing = min(missing, default=None)


def _freeze(import_: Import, entries: pl.DataFrame, frame: pl.DataFrame | None, whole: int | None) -> Pool:
    task = locked_task_or_404(import_.task)
    sha256 = hashlib.sha256(pool_file(entries)).hexdigest()
    not_drawn = None if frame is None else frame_file(frame.sort(PAIR))
    _refuse_the_same(task, sha256, "" if not_drawn is None else hashlib.sha256(not_drawn).hexdigest())
    stored = None if not_drawn is None else store(BytesIO(not_drawn), folder="pools", suffix=".parquet")
    spec = {"strategy": Pool.IMPORTED, "parameters": {"file": import_.file_name, "sha256": import_.sha256}}
    order = "random" if import_.options.get(RANDOM, False) else Pool.FILE_ORDER
    pool = Pool(
        task=task,
        version=(Pool.objects.filter(task=task).aggregate(newest=Max("version"))["newest"] or 0) + 1,
        strategy=Pool.IMPORTED,
        spec={**spec, "order": order},
        order=order,
        seed=0,
        size=entries.height,
        sha256=sha256,
        whole=whole,
        sampled_by=_sampled_by(entries, frame),
        frozen_by=import_.created_by,
        frame=stored.name if stored else "",
        frame_sha256=stored.sha256 if stored else "",
    )
    pool.full_clean()
    pool.save()
    entries_store(pool, [entries])
    facts = {"version": pool.version, "size": pool.size, "sha256": sha256, "file": import_.file_name}
    audit(import_.created_by, "import", pool, campaign=task.campaign, **facts)
    search_request(pool)
    task_advance(actor=import_.created_by, task=task, phase=Task.JUDGING)
    close_for_pool(actor=import_.created_by, task=task)
    return pool


def _refuse_the_same(task: Task, sha256: str, frame_sha256: str) -> None:
    """A sample that now names what was not drawn is new: its estimates need these documents."""
    newest = Pool.objects.filter(task=task).order_by("-version").first()
    if newest is None or newest.strategy != Pool.IMPORTED:
        return
    if (newest.sha256, newest.frame_sha256) == (sha256, frame_sha256):
        raise ValidationError(f"This is the pool {newest.version} of the task already: nothing is new.")


def _sampled_by(entries: pl.DataFrame, frame: pl.DataFrame | None) -> str:
    """By what estimators read the sample, which the file does not say; "" where the pool is none."""
    if entries["inclusion_probability"].null_count():
        return ""
    return sampled_by(entries, pl.DataFrame(schema=FRAME_SCHEMA) if frame is None else frame)
