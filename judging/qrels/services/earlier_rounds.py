"""What earlier rounds judged, fixed before a residual round opens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import polars as pl
from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.selectors.displays import display_of
from campaign.collection.selectors.versions import display_version
from campaign.log.audit import audit
from campaign.models import Document, Job, JudgedBefore, Task, User
from campaign.permissions import held_organised_campaign_or_404, locked_task_or_404
from campaign.queue.jobs import JobFailed, enqueue
from campaign.setup.selectors.rounds import earlier_rounds
from campaign.storage import store
from campaign.web.daily_limits import require_few_changes
from judging.models import Judgment
from judging.qrels.selectors.releases import latest_qrels, released_table

FIX_JUDGED_BEFORE: Final = "fix what earlier rounds judged"
"""Done by judging/jobs.py."""
PAIR = ("topic", "docno")
DOCUMENTS_AT_ONCE = 500
NOT_JUDGED = -1
"""The grade of pairs of qrels that nobody judged."""


@dataclass(frozen=True)
class Found:
    """`pairs`: topic, docno, each once. `changed`: pairs left out because their document has another text now."""

    pairs: pl.DataFrame
    changed: int
    sources: list[dict[str, Any]]


def judged_before_request(*, actor: User, task: Task) -> Job:
    """Have the pairs fixed by a job, which reads the texts of the judged documents."""
    with transaction.atomic():
        held_organised_campaign_or_404(actor, task.campaign)
        _require_set_up(task)
        require_few_changes(actor)
        return enqueue(FIX_JUDGED_BEFORE, task_id=task.pk, actor_id=actor.pk)


def judged_before_fix(*, actor: User, task: Task) -> JudgedBefore:
    """Keep the pairs that the earlier rounds have judged by now in place of what was fixed before."""
    _require_set_up(task)
    found = judged_in_earlier_rounds(task)
    if found.pairs.is_empty():
        raise JobFailed(
            "The earlier rounds have no judgments yet. Judge them or import their qrels first, then fix again."
        )
    file = BytesIO()
    found.pairs.write_parquet(file)
    file.seek(0)
    stored = store(file, folder="judged-before", suffix=".parquet")
    with transaction.atomic():
        locked = locked_task_or_404(task)
        _require_set_up(locked)
        JudgedBefore.objects.filter(task=locked).delete()
        fixed = JudgedBefore.objects.create(
            task=locked,
            file=stored.name,
            sha256=stored.sha256,
            pairs=found.pairs.height,
            topics=found.pairs["topic"].n_unique(),
            changed=found.changed,
            sources=found.sources,
        )
        said = {"pairs": fixed.pairs, "sha256": fixed.sha256, "sources": found.sources}
        audit(actor, "fix judged before", fixed, campaign=locked.campaign, task=locked.slug, **said)
    return fixed


def judged_in_earlier_rounds(task: Task) -> Found:
    """The pairs of topics of this round that were judged in rounds before, relevant or not, or could not be judged.

    A pair judged here whose document has another text in the collection of this round is left out: it is judged anew. Of pairs
    that came with imported qrels the text that was judged is not known: they stay.
    """
    parts, changed, sources = [], 0, []
    for earlier in earlier_rounds(task):
        acts = _judged_here(earlier)
        is_same = _has_same_text(task, earlier, acts)
        here, other = acts.filter(is_same).select(PAIR).unique(), acts.filter(~is_same).select(PAIR).unique()
        gone = other.join(here, on=PAIR, how="anti")
        qrels = latest_qrels(earlier)
        released = _released(earlier).join(gone, on=PAIR, how="anti")
        parts += [here, released]
        changed += gone.height
        sources.append(
            {"round": earlier.slug, "judgments": acts.height, "qrels": qrels.version if qrels else None}
            | ({"qrels_sha256": qrels.sha256} if qrels else {})
        )
    if not sources:
        raise ValidationError("This round follows no other one: there are no earlier judgments.")
    topics = list(task.topics.values_list("number", flat=True))
    pairs = pl.concat(parts).unique().filter(pl.col("topic").is_in(topics)).sort(PAIR)
    return Found(pairs, changed, sources)


def _require_set_up(task: Task) -> None:
    if task.round_kind != Task.RESIDUAL or task.follows_id is None:
        raise ValidationError("Only a residual round leaves out what earlier rounds judged.")
    if task.phase != Task.SETUP:
        raise ValidationError("The round is open: what was judged before stays as it was fixed.")


def _judged_here(task: Task) -> pl.DataFrame:
    acts = Judgment.objects.of_task(task.pk).filter(is_current=True, verdict__in=Judgment.JUDGED)
    rows = acts.values_list("topic__number", "docno", "text_sha256").iterator(chunk_size=5_000)
    return pl.DataFrame(list(rows), schema={"topic": pl.String, "docno": pl.String, "sha256": pl.String}, orient="row")


def _has_same_text(task: Task, earlier: Task, acts: pl.DataFrame) -> pl.Series:
    """Whether the document of each act has the text now that was shown; true where that cannot be known."""
    known = acts.filter(pl.col("sha256") != "")
    if task.collection_id is None or known.is_empty():
        return pl.Series([True] * acts.height, dtype=pl.Boolean)
    now = dict(_versions(task, earlier, known["docno"].unique().to_list()))
    versions = acts["docno"].replace_strict(now, default=None, return_dtype=pl.String)
    return (acts["sha256"] == "") | versions.is_null() | (acts["sha256"] == versions)


def _versions(task: Task, earlier: Task, docnos: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The version of each document of this round's collection as the desk of the earlier round would show it."""
    for start in range(0, len(docnos), DOCUMENTS_AT_ONCE):
        some = docnos[start : start + DOCUMENTS_AT_ONCE]
        documents = Document.objects.filter(collection=task.collection_id, docno__in=some)
        for document in documents.values("docno", "title", "text", "has_text"):
            yield document["docno"], display_version(display_of(earlier, document), document["text"])


def _released(task: Task) -> pl.DataFrame:
    qrels = latest_qrels(task)
    if qrels is None:
        return pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String))
    table = released_table(qrels, "overall").filter(pl.col("grade") != NOT_JUDGED)
    return table.select(pl.col(name).cast(pl.String) for name in PAIR).unique()
