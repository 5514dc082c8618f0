"""A campaign's rounds as a timeline, and the runs of teams over them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from campaign.models import Campaign, JudgedBefore, Run, Task, Team, Visitor
from campaign.permissions import is_organiser
from campaign.setup.selectors.rounds import in_rounds
from campaign.setup.selectors.schedule import RunWindow, run_window


@dataclass(frozen=True, slots=True)
class Round:
    """`runs`, `teams`: of valid runs; None for who may not know them yet. `left_out`: pairs that earlier rounds judged."""

    task: Task
    window: RunWindow
    runs: int | None
    teams: int | None
    left_out: int | None


@dataclass(frozen=True, slots=True)
class TeamRuns:
    """`runs`: the counting runs of the team in each of the rounds, in their order."""

    team: Team
    runs: list[list[Run]]


@dataclass(frozen=True, slots=True)
class Rounds:
    """Tasks of which each follows the one before it."""

    rounds: list[Round]
    teams: list[TeamRuns]

    @property
    def first(self) -> Task:
        return self.rounds[0].task


def rounds_of(user: Visitor, campaign: Campaign) -> list[Rounds]:
    """All tasks that the user sees, in groups of rounds; of runs those that the user sees."""
    organises = is_organiser(user, campaign)
    visible = Task.objects.visible_to(user).filter(campaign=campaign).select_related("campaign", "follows")
    valid = Q(runs__state=Run.VALID)
    tasks = list(
        visible.annotate(
            run_count=Count("runs", filter=valid), team_count=Count("runs__team", filter=valid, distinct=True)
        )
    )
    left_out = dict(JudgedBefore.objects.filter(task__in=tasks).values_list("task", "pairs"))
    own = Run.objects.visible_to(user).counting().filter(task__in=tasks).select_related("team", "task__campaign")
    runs = list(own.order_by("team__name", "tag"))
    found = []
    for group in in_rounds(tasks):
        rounds = [
            _round(task, left_out.get(task.pk), tells_runs=organises or task.phase == Task.PUBLISHED) for task in group
        ]
        found.append(Rounds(rounds, _by_team(group, runs)))
    return found


def _round(task: Task, left_out: int | None, *, tells_runs: bool) -> Round:
    runs, teams = (task.run_count, task.team_count) if tells_runs else (None, None)  # type: ignore[attr-defined]
    return Round(task, run_window(task), runs, teams, left_out)


def _by_team(group: Sequence[Task], runs: Sequence[Run]) -> list[TeamRuns]:
    keys = [task.pk for task in group]
    teams: dict[Team, dict[int, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        if run.task_id in keys:
            teams[run.team][run.task_id].append(run)
    return [TeamRuns(team, [by_round[key] for key in keys]) for team, by_round in teams.items()]
