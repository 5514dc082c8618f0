"""Rounds: tasks of a campaign of which one follows another."""

from collections.abc import Iterable, Sequence

from campaign.models import JudgedBefore, Task, Visitor


def earlier_rounds(task: Task) -> list[Task]:
    """The rounds before this one, the last of them first."""
    found: list[Task] = []
    before = task.follows
    while before is not None and before.pk not in {task.pk, *(one.pk for one in found)}:
        found.append(before)
        before = before.follows
    return found


def why_not_open(task: Task) -> str:
    """What keeps a round in its set-up; empty if nothing does."""
    if task.round_kind == Task.RESIDUAL and not JudgedBefore.objects.filter(task=task).exists():
        return (
            "This is a residual round: fix first which pairs earlier rounds have judged, on its page “Judged before”."
        )
    return ""


def next_rounds(user: Visitor, task: Task) -> list[Task]:
    """The rounds that follow this one, as far as the user sees them."""
    return list(Task.objects.visible_to(user).filter(follows=task).select_related("campaign"))


def in_rounds(tasks: Iterable[Task]) -> list[Sequence[Task]]:
    """The tasks in groups of rounds, each from its first round on; rounds whose earlier ones are not given begin a group."""
    given = list(tasks)
    followers: dict[int, list[Task]] = {}
    keys = {task.pk for task in given}
    for task in given:
        if task.follows_id in keys:
            followers.setdefault(task.follows_id or 0, []).append(task)
    firsts = [task for task in given if task.follows_id not in keys]
    return [_with_followers(task, followers) for task in firsts]


def _with_followers(task: Task, followers: dict[int, list[Task]]) -> list[Task]:
    return [task, *(one for after in followers.get(task.pk, []) for one in _with_followers(after, followers))]
