"""What a release rests on, for whoever reviews it: JSON that names no person."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

import polars as pl
from django.db.models import Count, Min, QuerySet

from campaign.storage.reading import verified_bytes
from judging.core.resolution import CANNOT_JUDGE, UNGRADED_AS, UNJUDGED_AS, policy_in_words
from judging.judgments.selectors.at_revision import NOW, AsOf, decisions_as_of, judgments_as_of
from judging.models import Adjudication, Judgment, Qrels
from pooling.models import Pool
from pooling.selectors.tables import ROWS_AT_ONCE

FORMAT = 1
"""Raised when a name of the manifest changes its meaning."""


def pseudonyms(task_id: int) -> dict[int, str]:
    """ "A1", "A2", … for the assessors of a task, by primary key, in the order of their first acts: the same in every file."""
    acts = Judgment.objects.of_task(task_id).order_by()
    first = acts.values("assessor").annotate(first=Min("pk")).order_by("first").values_list("assessor", flat=True)
    return {assessor: f"A{number}" for number, assessor in enumerate(first, start=1)}


def what_a_release_rests_on(
    pool: Pool, adjudicated: bool, as_of: AsOf = NOW, assessor: int | None = None
) -> dict[str, Any]:
    """The pools, the last act, and how many judgments of the task each assessor has that stand, hidden repeats left out.

    `assessor`: the only one whose judgments are released.
    """
    acts = Judgment.objects.of_task(pool.task_id)
    decisions = Adjudication.objects.filter(topic__task=pool.task_id)
    pools = pool.task.pools.filter(version__lte=pool.version).order_by("version")
    return {
        "pools": list(pools.values("version", "sha256", "size", "strategy")),
        "last_judgment": _last(acts, as_of.judgment),
        "last_decision": _last(decisions, as_of.decision) if adjudicated else None,
        "assessors": _assessors(pool, as_of, assessor),
    }


def _last(acts: "QuerySet[Judgment] | QuerySet[Adjudication]", number: int | None) -> dict[str, Any] | None:
    """The newest act up to a number: with those before it, what was current then can be found again."""
    last = (acts if number is None else acts.filter(pk__lte=number)).order_by("-pk").values_list("pk", "uuid").first()
    return last and {"number": last[0], "uuid": str(last[1])}


def _assessors(pool: Pool, as_of: AsOf, assessor: int | None) -> list[dict[str, Any]]:
    of_task = Judgment.objects.of_task(pool.task_id).filter(assignment__is_repeat=False)
    standing = judgments_as_of(of_task, as_of.judgment).filter(verdict__in=Judgment.JUDGED).order_by()
    counted = dict(standing.values_list("assessor").annotate(Count("pk")))
    everybody = pseudonyms(pool.task_id).items()
    named = [(person, name) for person, name in everybody if person in counted and assessor in (None, person)]
    return [{"assessor": name, "judgments": counted[person]} for person, name in named]


def make_manifest(qrels: Qrels, table: pl.DataFrame, rests_on: Mapping[str, Any]) -> bytes:
    """The manifest of a version that is about to be stored; `table`: the released pairs."""
    task = qrels.task
    manifest = {
        "format": FORMAT,
        "campaign": task.campaign.slug,
        "task": task.slug,
        "version": qrels.version,
        "set": qrels.set_in_words,
        "source": qrels.source,
        "policy": qrels.policy,
        "policy_in_words": policy_in_words(qrels.policy),
        "cannot_judge": UNGRADED_AS[qrels.cannot_judge_as],
        "unjudged": UNJUDGED_AS[qrels.unjudged_as],
        "judging_mode": task.judging_mode,
        "lowest_relevant_grade": qrels.lowest_relevant_grade,
        "topics_scored": qrels.topics,
        "topics_not_scored": qrels.topics_not_scored,
        "lines": table.height,
        "judgments": qrels.judgment_count,
        "relevant": qrels.relevant_count,
        "pairs_without_grade": qrels.unjudged_count,
        "pairs_of_each_grade": _counted(table["grade"].to_list()),
        "files": {name: {"sha256": sha256} for name, sha256 in _checksums(qrels) if sha256},
        **rests_on,
    }
    return (json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode()


def manifest_of(qrels: Qrels) -> dict[str, Any]:
    """The manifest of a released version; {} of one from before there were any."""
    if not qrels.manifest_file:
        return {}
    manifest: dict[str, Any] = json.loads(verified_bytes(str(qrels.manifest_file.name), found_by="a reading of qrels"))
    return manifest


def judgments_under(qrels: Qrels) -> Iterator[tuple[str, str, int, str, int]]:
    """The judgments that a version rests on, hidden repeats left out.

    Topic, assessor's pseudonym, pass, docno, grade (-2: could not be judged).
    """
    manifest = manifest_of(qrels)
    last = manifest.get("last_judgment")
    if not last:
        return
    of_task = Judgment.objects.of_task(qrels.task_id).filter(assignment__is_repeat=False)
    standing = judgments_as_of(of_task, number_here(of_task, last)).filter(verdict__in=Judgment.JUDGED)
    names = pseudonyms(qrels.task_id)
    if qrels.source == Qrels.JUDGED and qrels.set_name:
        named = {one["assessor"] for one in manifest.get("assessors", [])}
        standing = standing.filter(assessor__in=[person for person, name in names.items() if name in named])
    columns = ("topic__number", "assessor", "pass_number", "docno", "grade")
    ordered = standing.order_by("topic__number", "docno", "assessor", "pass_number").values_list(*columns)
    for topic, assessor, pass_number, docno, grade in ordered.iterator(chunk_size=ROWS_AT_ONCE):
        yield topic, names[assessor], pass_number, docno, CANNOT_JUDGE if grade is None else grade


def people_under(qrels: Qrels) -> Iterator[tuple[str, str]]:
    """Topic and person: who judged documents that a version rests on, or decided about them where decisions count."""
    names = pseudonyms(qrels.task_id)
    yield from ((topic, person) for topic, person, *_ in judgments_under(qrels))
    last = manifest_of(qrels).get("last_decision")
    if not last:
        return
    of_task = Adjudication.objects.filter(topic__task=qrels.task_id)
    standing = decisions_as_of(of_task, number_here(of_task, last)).exclude(verdict=Adjudication.WITHDRAWN)
    for topic, person in standing.order_by().values_list("topic__number", "adjudicator").distinct():
        yield topic, names.get(person, f"adjudicator {person}")


def number_here(acts: "QuerySet[Judgment] | QuerySet[Adjudication]", last: Mapping[str, Any]) -> int:
    """The number of the last act on this site: where a task was restored from an archive, only its identifier is the same."""
    try:
        found = acts.filter(uuid=UUID(last["uuid"])).values_list("pk", flat=True).first()
    except ValueError:
        found = None
    return int(last["number"]) if found is None else int(found)


def _counted(grades: Iterable[int]) -> dict[str, int]:
    return {str(grade): count for grade, count in sorted(Counter(grades).items())}


def _checksums(qrels: Qrels) -> Iterable[tuple[str, str]]:
    return (
        ("qrels", qrels.sha256),
        ("subtopics", qrels.subtopic_sha256),
        ("sample", qrels.sample_sha256),
        ("near-identical", qrels.twins_sha256),
    )
