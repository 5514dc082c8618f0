"""Whether judgments and released qrels are what follows from the acts: what `manage.py verify` compares of this app."""

import hashlib
from collections.abc import Iterator
from typing import Any

import polars as pl
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from campaign.formats.qrels.table import write_qrels
from campaign.integrity import Extent, Finding, each_by_itself, first_of
from campaign.models import Task
from campaign.runs.selectors.residual import residual
from campaign.storage.checksums import is_intact
from judging.core.resolution import as_released
from judging.core.set_names import ASSESSOR
from judging.judgments.selectors.at_revision import AsOf, later_acts
from judging.models import Adjudication, Judgment, Qrels
from judging.qrels.selectors.manifests import manifest_of, number_here, pseudonyms
from judging.qrels.selectors.releases import Draft, release_draft, released_table, with_no_subtopic
from pooling.core.duplicates.standing import twins_file
from pooling.models import PoolEntry
from pooling.selectors.tables import table_of

FROM_BACKUP = "The database was changed behind the site's back: restore it from a backup of before the change."
RELEASE_ANEW = (
    "Acts or the version were changed behind the site's back: compare with a backup of before; if the judgments are right, "
    "release a new version."
)


def verify_judgments(extent: Extent) -> Iterator[Finding]:
    """Of each task: which acts are marked as current, whether acts are missing, and whether they are about what was assigned."""

    def compare(task: Task) -> Iterator[Finding]:
        acts = Judgment.objects.of_task(task.pk)
        extent.looked["judgments"] += acts.count()
        later = Exists(later_acts(Q()))
        wrong = acts.filter(later, is_current=True)
        yield from _named(task, wrong, "marked as current, but a later act on the document stands")
        yield from _named(task, acts.filter(~later, is_current=False), "not marked as current, but no later act stands")
        earlier = Judgment.objects.filter(uuid=OuterRef("previous"))
        lost = acts.filter(~Exists(earlier), previous__isnull=False)
        yield from _named(task, lost, "after an act that is no longer there: that one was deleted")
        other = acts.exclude(topic=F("assignment__topic"))
        yield from _named(task, other, "about another topic than that of the assignment")

    return each_by_itself("judgments", Task.objects.select_related("campaign"), compare)


def _named(task: Task, acts: "QuerySet[Judgment]", what: str) -> Iterator[Finding]:
    keys, more = first_of(acts)
    if keys:
        also = f" and {more:,} more" if more else ""
        yield Finding("judgments", f"judgments of {task}", f"Acts {', '.join(keys)}{also} are {what}.", FROM_BACKUP)


def verify_qrels(extent: Extent) -> Iterator[Finding]:
    """Every version: its tables against its own figures and manifest, and those judged here against the acts."""

    def compare(qrels: Qrels) -> Iterator[Finding]:
        extent.looked["versions of qrels"] += 1
        extent.report(f"{qrels} of {qrels.task}")
        names = [*qrels.files.values(), str(qrels.manifest_file.name), *filter(None, [qrels.twins_file.name])]
        damaged = [name or "manifest" for name in names if not (name and is_intact(name))]
        if damaged:
            text = f"Its stored {', '.join(damaged)} cannot be read, and nothing of it can be compared."
            yield _finding(qrels, text, "Restore the file from a backup under its name, then verify again.")
            return
        for text in [*_against_itself(qrels), *_against_acts(qrels, extent)]:
            yield _finding(qrels, text, RELEASE_ANEW)

    versions = Qrels.objects.select_related("task__campaign", "pool__task__campaign")
    return each_by_itself("qrels", versions, compare)


def _finding(qrels: Qrels, text: str, remedy: str) -> Finding:
    return Finding("qrels", f"{qrels} of {qrels.task}", text, remedy)


def _against_itself(qrels: Qrels) -> Iterator[str]:
    table, manifest = released_table(qrels, "overall"), manifest_of(qrels)
    graded = table.filter(pl.col("grade") >= 0)
    relevant = graded.filter(pl.col("grade") >= qrels.lowest_relevant_grade).height
    topics = sorted(graded["topic"].unique().to_list())
    for name, stored, counted in (
        ("judgments", qrels.judgment_count, graded.height),
        ("relevant documents", qrels.relevant_count, relevant),
        ("topics", sorted([*qrels.topics, *qrels.topics_not_scored]), topics),
    ):
        if stored != counted:
            yield f"Its row says other {name} than its file holds."
    own = {"qrels": qrels.sha256, "subtopics": qrels.subtopic_sha256, "sample": qrels.sample_sha256}
    for name, sha256 in own.items():
        if manifest["files"].get(name, {}).get("sha256", "") != sha256:
            yield f"The SHA-256 of its {name} is another one than in its manifest."


def _against_acts(qrels: Qrels, extent: Extent) -> Iterator[str]:
    """What differs of a version that was judged here from one made again of the acts up to the last that it names."""
    manifest = manifest_of(qrels)
    if qrels.source != Qrels.JUDGED or qrels.pool is None or not manifest.get("last_judgment"):
        return
    task = qrels.task
    as_of = AsOf(
        number_here(Judgment.objects.of_task(task.pk), manifest["last_judgment"]),
        number_here(
            Adjudication.objects.filter(topic__task=task), manifest.get("last_decision") or {"number": 0, "uuid": ""}
        ),
    )
    draft = release_draft(qrels.pool, qrels.policy, as_of, assessor=_only_assessor(qrels))
    if _sha256_of_twins(draft) != qrels.twins_sha256:
        extent.notes.append(f"{qrels} of {task}: near-identical documents are handled otherwise since; not made again.")
        return
    extent.looked["versions of qrels made again from the acts"] += 1
    tables = {"qrels": (with_no_subtopic(_without_later(qrels, draft.released)), qrels.sha256)}
    if draft.subtopic_table is not None and qrels.subtopic_sha256:
        tables["grades by subtopic"] = (draft.subtopic_table, qrels.subtopic_sha256)
    for name, (table, sha256) in tables.items():
        again = residual(task, as_released(table, qrels.cannot_judge_as, qrels.unjudged_as))
        if hashlib.sha256(write_qrels(again)).hexdigest() != sha256:
            yield f"The {name} made again of the acts up to the last that it names are not those that were released."


def _only_assessor(qrels: Qrels) -> int | None:
    """The person whose judgments alone make the version; None where all do."""
    by_name = {f"{ASSESSOR}{name}": person for person, name in pseudonyms(qrels.task_id).items()}
    return by_name.get(qrels.set_name)


def _sha256_of_twins(draft: Draft) -> str:
    return "" if draft.twins is None else hashlib.sha256(twins_file(draft.twins)).hexdigest()


def _without_later(qrels: Qrels, table: pl.DataFrame) -> pl.DataFrame:
    """The pairs of a growing pool without those that came into it after the release."""
    later: Any = PoolEntry.objects.filter(pool=qrels.pool, added_at__gt=qrels.released_at)
    rows = later.exclude(source=PoolEntry.DRAWN).values_list("topic__number", "docno")
    pairs = table_of(rows.iterator(), {"topic": pl.String, "docno": pl.String})
    return table.join(pairs, on=["topic", "docno"], how="anti", maintain_order="left") if pairs.height else table
