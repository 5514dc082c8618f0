"""What a pool found and what it missed, by the judgments of its documents so far."""

from dataclasses import dataclass

import polars as pl
from django.db.models import Exists, Max, OuterRef

from campaign.storage.reading import verified_bytes
from campaign.web.cache import kept
from judging.core.modes.registry import judging_mode
from judging.core.resolution import CANNOT_JUDGE, LATEST
from judging.judgments.selectors.votes import acts_of
from judging.models import Judgment, Qrels
from judging.qrels.selectors.releases import latest_qrels, released_table
from pooling.core.completeness.holders import Holders
from pooling.core.completeness.outside import PAIR, judged_entries
from pooling.core.completeness.report import Completeness, Drawn, pool_completeness
from pooling.core.strategies.frames import FRAME_SCHEMA, read_frame
from pooling.core.strategies.strata import sampled_by
from pooling.models import Pool, PoolChoice, PoolEntry
from pooling.selectors.duplicates import handling_of, with_grades_taken
from pooling.selectors.growth import chosen_documents
from pooling.selectors.holders import holders_key
from pooling.selectors.tables import ROWS_AT_ONCE, table_of

HOUR = 3600
SHAPE = 2
"""Of what is kept: another one after each change of its classes, since a cache outlives an update of the site."""
ENTRIES = {
    "topic": pl.String,
    "docno": pl.String,
    "position": pl.UInt32,
    "best_position": pl.UInt32,
    "stratum": pl.Int32,
    "inclusion_probability": pl.Float64,
    "source": pl.String,
}


@dataclass(frozen=True, slots=True)
class JudgedPool:
    """`source`: which judgments count, in words. `cannot_judge`: entries that could not be judged, not among the judged.

    `taken`: judged entries that nobody judged, by the grade of a near-identical document. They count in every figure, as they
    are documents of the qrels and recall counts them.
    `elsewhere`: judged entries whose judgments were all made through another version of the pool.
    """

    completeness: Completeness
    source: str
    cannot_judge: int
    taken: int
    elsewhere: int


def judged_pool(pool: Pool, holders: Holders | None) -> JudgedPool:
    """All figures of a pool, of the latest grade of each document; without judgments, of the latest qrels if there are any.

    Kept until a judgment, an entry or a version of the qrels is added, or the task's lowest relevant grade or the handling of
    near-duplicates changes.
    """
    key = judged_key(pool, holders)
    return kept(key, lambda: _judged_pool(pool, holders, latest_qrels(pool.task)), HOUR)


def judged_key(pool: Pool, holders: Holders | None) -> str:
    """Names what the figures rest on, for caches of what is made from them."""
    newest = Judgment.objects.of_task(pool.task_id).aggregate(newest=Max("pk"))["newest"]
    qrels = latest_qrels(pool.task)
    # A document of the control sample may be chosen without a new entry.
    choices = PoolChoice.objects.filter(pool=pool).count()
    lowest, handling = pool.task.lowest_relevant_grade, handling_of(pool)
    rests_on = (holders_key(pool), choices, newest, qrels and qrels.pk, lowest, holders is not None, handling)
    return f"judging:completeness:{SHAPE}:" + ":".join(map(str, rests_on))


def _judged_pool(pool: Pool, holders: Holders | None, qrels: Qrels | None) -> JudgedPool:
    entries = _entries(pool)
    graded, source, taken = _graded(pool, entries, qrels)
    of_pool = graded.join(entries, on=PAIR, how="semi")
    lowest = pool.task.lowest_relevant_grade
    judged = judged_entries(entries, of_pool, lowest).join(
        of_pool.select(*PAIR, "order"), on=PAIR, how="left", maintain_order="left"
    )
    judged = judged.with_columns(order=pl.when(pl.col("relevant").is_not_null()).then("order"))
    judged = judged.join(_judged_elsewhere(pool), on=PAIR, how="left", maintain_order="left")
    judged = judged.with_columns(
        elsewhere=pl.col("elsewhere").fill_null(value=False) & pl.col("relevant").is_not_null()
    )
    return JudgedPool(
        completeness=pool_completeness(judged, _drawn(pool, entries), holders),
        source=source,
        cannot_judge=of_pool.filter(pl.col("grade") == CANNOT_JUDGE).height,
        taken=taken.filter(pl.col("grade") >= 0).join(entries, on=PAIR, how="semi").height,
        elsewhere=int(judged["elsewhere"].sum()),
    )


def _entries(pool: Pool) -> pl.DataFrame:
    """The entries as they came in, and whether each was `chosen` by a policy, which may have met what was drawn before."""
    entries = PoolEntry.objects.filter(pool=pool).order_by("topic__position", "position")
    held = table_of(entries.values_list("topic__number", *list(ENTRIES)[1:]).iterator(ROWS_AT_ONCE), ENTRIES)
    chosen = chosen_documents(pool).with_columns(chosen=pl.lit(value=True))
    held = held.join(chosen, on=PAIR, how="left", maintain_order="left")
    return held.with_columns(pl.col("chosen").fill_null(value=False))


def _graded(pool: Pool, entries: pl.DataFrame, qrels: Qrels | None) -> tuple[pl.DataFrame, str, pl.DataFrame]:
    """topic, docno, grade, order (when it was judged), where the grades come from, and those taken from another document."""
    acts = acts_of(Judgment.objects.of_task(pool.task_id).filter(is_current=True))
    if qrels is None or acts.table.height:
        grades = judging_mode(pool.task.judging_mode).qrels(acts, LATEST).overall
        order = acts.table.group_by(PAIR).agg(order=pl.col("act").min())
        graded = grades.join(order, on=PAIR, how="left")
        with_taken = with_grades_taken(pool, graded)
        return with_taken, "the latest grade of each document", with_taken[graded.height :]
    grades = released_table(qrels, "overall").select("topic", "docno", "grade")
    order = entries.select(*PAIR, order=pl.col("position").cast(pl.Int64))
    in_order = grades.join(order, on=PAIR, how="left")
    return in_order, f"the grades of {qrels}, in the judging order of the pool", in_order.clear()


def _judged_elsewhere(pool: Pool) -> pl.DataFrame:
    """topic, docno, elsewhere (true): what other versions of the pool had judged, and this one has not."""
    acts = Judgment.objects.of_task(pool.task_id).filter(verdict=Judgment.GRADED).order_by()
    here = acts.filter(assignment__pool=pool, topic=OuterRef("topic"), docno=OuterRef("docno"))
    pairs = (
        acts.exclude(assignment__pool=pool)
        .filter(~Exists(here), is_current=True)
        .values_list("topic__number", "docno")
        .distinct()
    )
    table = pl.DataFrame(list(pairs), schema={"topic": pl.String, "docno": pl.String}, orient="row")
    return table.with_columns(elsewhere=pl.lit(value=True))


def _drawn(pool: Pool, entries: pl.DataFrame) -> Drawn:
    """How the pool was drawn; as one that promises nothing where this version does not know its strategy."""
    frame = read_frame(verified_bytes(str(pool.frame.name), found_by="a reading of a pool")) if pool.frame else None
    spec = pool.drawn_with
    if spec is None:
        sampled = entries.filter(source=PoolEntry.DRAWN).drop_nulls("inclusion_probability")
        kind = sampled_by(sampled, FRAME_SCHEMA.to_frame() if frame is None else frame) if sampled.height else ""
        return Drawn(sampling=kind, frame=frame)
    return Drawn(
        reads=spec.method.reads(spec.parameters),
        judged_whole=spec.method.judged_whole(spec.parameters),
        sampling=spec.method.sampling,
        promising_first=spec.judging_order.follows_runs,
        frame=frame,
    )
