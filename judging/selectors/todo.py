"""Judging that waits for a person: topics without an assessor, disagreements, judgments not released, topics to judge.

A release answers what stood open in the pools before it: topics that it leaves out were left out on purpose, and
disagreements that stood open then were left to its policy.
"""

from collections.abc import Iterator, Sequence

from django.db.models import Count, Exists, OuterRef, Q

from campaign.models import Role, Task, Topic, User
from campaign.navigation import Step, Todo
from campaign.text.collation import by_numbers
from campaign.text.plurals import number_of
from campaign.web.asking_once import once
from judging.adjudication.selectors.disagreements import disagreements_to_decide
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Assignment
from judging.progress.selectors.progress import Progress, progress_of
from judging.qrels.selectors.releases import newest_releases
from pooling.models import Pool, PoolEntry
from pooling.selectors.pools import latest_pools
from pooling.selectors.todo import pools_to_freeze


def judging_to_organise(user: User, tasks: Sequence[Task]) -> list[Todo]:
    asked = (judging_to_organise, tuple(task.pk for task in tasks))
    return once(asked, lambda: list(_judging_to_organise(tasks)))


def _judging_to_organise(tasks: Sequence[Task]) -> Iterator[Todo]:
    released = {task: at for task, (_, at) in newest_releases(tasks).items()}
    pools = latest_pools(tasks)
    settled = {task for task, pool in pools.items() if task in released and released[task] >= pool.frozen_at}
    open_pools = [pool for task, pool in pools.items() if task not in settled]
    unassigned, assigned = _unassigned_by_task(open_pools), _assigned_by_task(open_pools)
    to_decide = disagreements_to_decide([task for task in tasks if task.pk in pools], released)
    for task in tasks:
        if task.pk not in pools and task.phase == Task.JUDGING and task.pk not in released:
            yield Todo(task, "no pool to judge and no qrels", Step("Build the pool", task.url("pool_create")))
        elif count := unassigned.get(task.pk, 0):
            topics = number_of(count, "topic")
            step = Step(f"Assign {topics}", task.url("assignment_create"))
            yield Todo(task, f"{topics} without an assessor", step)
        if count := to_decide.get(task.pk, 0):
            found = number_of(count, "disagreement")
            yield Todo(task, f"{found} to decide", Step(f"Decide {found}", task.url("adjudication_queue")))
        topics_judged = assigned.get(task.pk)
        if topics_judged and task.pk not in unassigned and not topics_judged["unfinished"]:
            text = f"all {number_of(topics_judged['total'], 'assigned topic')} judged, no qrels released since"
            yield Todo(task, text, Step("Release qrels", task.url("qrels_release")))


def pools_to_build(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    """As `pools_to_freeze`; without tasks that have qrels, as of last year's track, before their phase Pool."""
    found = list(pools_to_freeze(user, tasks))
    released = newest_releases([todo.task for todo in found]) if found else {}
    yield from (todo for todo in found if todo.task.phase == Task.POOL or todo.task.pk not in released)


def releases_next(user: User, task: Task) -> bool:
    """Whether to release qrels is the first thing that waits in the judging of the task."""
    first = next(iter(judging_to_organise(user, [task])), None)
    return first is not None and first.step.url == task.url("qrels_release")


def _unassigned_by_task(pools: Sequence[Pool]) -> dict[int, int]:
    """By task: topics of its pool without an assessor in the first pass, as `open_topics_of` lists them."""
    pooled = PoolEntry.objects.filter(pool__in=pools, topic=OuterRef("pk"))
    taken = Assignment.objects.filter(pool__in=pools, pass_number=1, topic=OuterRef("pk"))
    tasks = [pool.task_id for pool in pools]
    topics = Topic.objects.filter(Exists(pooled), ~Exists(taken), task__in=tasks, removed_at__isnull=True)
    return dict(topics.order_by().values_list("task").annotate(Count("pk")))


def _assigned_by_task(pools: Sequence[Pool]) -> dict[int, dict[str, int]]:
    rows = Assignment.objects.filter(pool__in=pools, is_repeat=False).order_by().values("pool__task")
    counts = rows.annotate(total=Count("topic", distinct=True), unfinished=Count("pk", filter=Q(finished_at=None)))
    return {row["pool__task"]: {"total": row["total"], "unfinished": row["unfinished"]} for row in counts}


def topics_to_judge(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    by_task: dict[int, list[Progress]] = {}
    for row in unfinished(user, tasks):
        by_task.setdefault(row.assignment.pool.task_id, []).append(row)
    for task in tasks:
        if rows := by_task.get(task.pk):
            topics, documents = number_of(len(rows), "topic"), number_of(sum(row.left for row in rows), "document")
            step = Step(f"Judge {topics}", task.url("my_topics"))
            so_far = " so far" if any(row.is_open for row in rows) else ""
            yield Todo(task, f"{topics} of yours with {documents} to judge{so_far}", step)


def unfinished(user: User, tasks: Sequence[Task] | None = None) -> list[Progress]:
    """The assignments in which the user may judge and documents are left, of these tasks or of all; as `begun_first`."""
    role = Role.objects.filter(campaign=OuterRef("pool__task__campaign"), user=user, role=Role.ASSESSOR)
    own = (
        assignments_of(user)
        .filter(Exists(role), finished_at=None, pool__task__campaign__closed_at=None)
        .order_by("pool", by_numbers("topic__number"), "pk")
    )
    chosen = own if tasks is None else own.filter(pool__task__in=tasks)
    return begun_first(progress_of(chosen))


def begun_first(rows: Sequence[Progress]) -> list[Progress]:
    """Those with documents left or still to be chosen: where the assessor goes on, before what is not begun."""
    return sorted((row for row in rows if row.left or row.is_open), key=lambda row: not row.judged)
