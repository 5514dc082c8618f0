"""One search over campaigns, tasks, runs, topics and docnos. A reader finds what they may open, and nothing else."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.urls import reverse

from campaign.collection.selectors.documents import begins_with, campaigns_with_readable_documents
from campaign.models import Document, Run, Task, Topic, Visitor
from campaign.text.collation import by_numbers
from campaign.text.natural_order import natural_order
from evaluation.boards.audiences import PUBLIC
from evaluation.models import Leaderboard
from runpool.overview.selectors.campaigns import CampaignFilter, campaigns_found

MOST_WORDS = 8
"""Each costs a comparison with every title: further words of a query are left out."""
SHOWN = 5
"""Of each kind."""
READ = 50
"""Rows that are read of what many words match, the newest first, before they are put into their order."""


@dataclass(frozen=True, slots=True)
class Result:
    """`where`: the campaign and task that it belongs to, in words."""

    name: str
    where: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """What was found of one kind. `more`: there is more than is shown; `all_url`: the list that has all of it, or empty."""

    kind: str
    results: list[Result]
    more: bool
    all_url: str = ""


def search_site(user: Visitor, query: str) -> list[Group]:
    """What matches and the reader may open, by kind. The number of statements is fixed."""
    words = words_of(query)[:MOST_WORDS]
    if not words:
        return []
    tasks = Task.objects.visible_to(user).filter(campaign__deleted_at=None).select_related("campaign")
    groups = [
        _campaigns(user, words),
        _tasks(tasks, words),
        _runs(user, tasks, query),
        _topics(tasks, query, words),
        *_docnos(user, tasks, query),
    ]
    return [group for group in groups if group.results]


def words_of(query: str) -> list[str]:
    """The words of a query, each once whatever its case.

    >>> words_of("Mill  ponds mill")
    ['Mill', 'ponds']
    """
    words: dict[str, str] = {}
    for word in query.split():
        words.setdefault(word.casefold(), word)
    return list(words.values())


def _campaigns(user: Visitor, words: list[str]) -> Group:
    query = " ".join(words)
    rows = campaigns_found(user, CampaignFilter(search=query))[: SHOWN + 1]
    found = [Result(row.title, row.slug, row.get_absolute_url()) for row in rows]
    return _group("Campaigns", found, f"{reverse('home')}?{urlencode({'search': query})}")


def _tasks(tasks: QuerySet[Task], words: list[str]) -> Group:
    for word in words:
        tasks = tasks.filter(Q(title__icontains=word) | Q(slug__icontains=word))
    rows = tasks.order_by(by_numbers("title"), "pk")[: SHOWN + 1]
    return _group("Tasks", [Result(row.title, str(row.campaign), row.get_absolute_url()) for row in rows])


def _runs(user: Visitor, tasks: QuerySet[Task], query: str) -> Group:
    """By the beginning of the tag: those of the reader's teams and campaigns, then those that a board names to everybody."""
    beginning = Q(tag__startswith=query) | Q(tag__startswith=query.lower()) | Q(tag__startswith=query.upper())
    runs = Run.objects.filter(beginning, task__in=tasks).select_related("task__campaign").order_by("-pk")
    by_place = {(run.task_id, run.tag): (run, run.get_absolute_url()) for run in runs.visible_to(user)[:READ]}
    numbers = _newest_numbers(Leaderboard.objects.filter(audience=PUBLIC, task__in=runs.order_by().values("task")))
    on_boards = (pk for pk in runs.values_list("pk", flat=True).iterator() if pk in numbers) if numbers else iter(())
    for run in runs.filter(pk__in=list(islice(on_boards, READ))):
        if (run.task_id, run.tag) not in by_place:
            by_place[run.task_id, run.tag] = run, run.task.url("leaderboard_run", number=numbers[run.pk], tag=run.tag)
    listed = sorted(by_place.values(), key=lambda one: (natural_order(one[0].tag), -one[0].task_id))
    return _group("Runs", [Result(run.tag, _where(run.task), url) for run, url in listed])


def _newest_numbers(boards: QuerySet[Leaderboard]) -> dict[int, int]:
    """By run, by its key: the newest of the boards on which it is."""
    rows = boards.order_by("number").values_list("number", "run_ids")
    return {run: number for number, runs in rows.iterator() for run in runs if run is not None}


def _topics(tasks: QuerySet[Task], query: str, words: list[str]) -> Group:
    """By number, or by words of the title; a topic of this number comes first."""
    in_title = Q()
    for word in words:
        in_title &= Q(title__icontains=word)
    exact = Case(When(number=query, then=Value(0)), default=Value(1))
    rows = Topic.objects.filter(Q(number=query) | in_title, task__in=tasks).alias(exact=exact)
    ordered = (
        rows.order_by("exact", "-task", "position")
        .select_related("task__campaign")
        .only(*("number", "title", "task__slug", "task__title", "task__campaign__slug", "task__campaign__title"))
    )
    key: Callable[[Topic], Any] = lambda row: (row.number != query, -row.task_id, natural_order(row.number))  # noqa: E731
    found = [
        Result(f"{row.number} {row.title}", _where(row.task), row.task.url("topic_detail", topic_number=row.number))
        for row in sorted(ordered[:READ], key=key)
    ]
    return _group("Topics", found)


def _docnos(user: Visitor, tasks: QuerySet[Task], query: str) -> Iterable[Group]:
    """By their beginning, a group for each task; of tasks that share a collection, the newest."""
    documents = Document.objects.filter(begins_with(query))
    readable = tasks.filter(campaign__in=campaigns_with_readable_documents(user), collection__isnull=False)
    holding = readable.filter(Exists(documents.filter(collection=OuterRef("collection")))).order_by("-pk")
    by_collection: dict[int | None, Task] = {}
    for task in holding[:READ]:
        by_collection.setdefault(task.collection_id, task)
    for collection, task in islice(by_collection.items(), SHOWN):
        docnos = documents.filter(collection=collection).order_by("docno").values_list("docno", flat=True)
        found = [Result(one, "", task.url("document_detail", docno=one)) for one in docnos[: SHOWN + 1]]
        yield _group(
            f"Documents of {_where(task)}", found, f"{task.url('document_list')}?{urlencode({'search': query})}"
        )


def _group(kind: str, found: list[Result], all_url: str = "") -> Group:
    return Group(kind, found[:SHOWN], len(found) > SHOWN, all_url)


def _where(task: Task) -> str:
    return f"{task.campaign} · {task}"
