"""The sets of qrels of a task: which there are, and what a name or an assessor means among them."""

from dataclasses import dataclass

from django.db.models import Count, Max

from campaign.models import Task, User
from campaign.text.natural_order import natural_order
from campaign.web.asking_once import once
from judging.core.set_names import ASSESSOR, DEFAULT, tidy_set_name
from judging.models import Judgment, Qrels
from judging.qrels.selectors.manifests import pseudonyms


def qrels_sets(task: Task) -> list[str]:
    """The names of the sets that have a version, in natural order; the default one, if it has, is the first."""
    names = Qrels.objects.filter(task=task).order_by().values_list("set_name", flat=True).distinct()
    known = once((qrels_sets, task.pk), lambda: list(names))
    return sorted(known, key=lambda name: (name != DEFAULT, natural_order(name)))


def set_named(task: Task, text: str) -> str:
    """The name of the set that a text means: that of an existing set, whatever the case, or a new one."""
    name = tidy_set_name(text)
    return next((known for known in qrels_sets(task) if known.casefold() == name.casefold()), name)


def newest_version(task: Task) -> int:
    """The highest number of all sets, which count on together; 0 before any."""
    return Qrels.objects.filter(task=task).aggregate(newest=Max("version"))["newest"] or 0


@dataclass(frozen=True, slots=True)
class AssessorSet:
    """What one assessor judged of a task: grades of `documents` in `topics`; `set_name`: of the set that holds them."""

    person: User
    set_name: str
    topics: int
    documents: int


def assessor_set_name(task: Task, person: User) -> str:
    """As in "assessor A1", by the pseudonym of all released files: these name no person."""
    return f"{ASSESSOR}{pseudonyms(task.pk)[person.pk]}"


def assessor_sets(task: Task) -> list[AssessorSet]:
    """Of all who graded documents of a topic that somebody else graded in as well, in the order of their pseudonyms."""
    graded = (
        Judgment.objects.of_task(task.pk)
        .filter(is_current=True, verdict=Judgment.GRADED, assignment__is_repeat=False)
        .order_by()
    )
    by_topic = graded.values("topic").annotate(people=Count("assessor", distinct=True))
    shared = [row["topic"] for row in by_topic if row["people"] > 1]
    judges = graded.filter(topic__in=shared).values_list("assessor", flat=True).distinct()
    counts = graded.filter(assessor__in=judges).values("assessor")
    counted = {
        row["assessor"]: (row["topics"], row["documents"])
        for row in counts.annotate(topics=Count("topic", distinct=True), documents=Count("pk"))
    }
    people = User.objects.in_bulk(list(counted))
    names = pseudonyms(task.pk)
    return [
        AssessorSet(people[key], f"{ASSESSOR}{name}", *counted[key]) for key, name in names.items() if key in counted
    ]
