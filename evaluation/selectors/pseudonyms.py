"""Pseudonyms of runs and teams on anonymous boards: a run keeps the one that it was published under first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.utils.crypto import salted_hmac

from campaign.models import Run, Task
from evaluation.boards.audiences import ANONYMOUS
from evaluation.boards.board import RunFacts
from evaluation.models import Leaderboard
from evaluation.selectors.boards import stored_board

LETTERS: Final = "bcdfghjkmnpqrstvwxyz23456789"
"""No vowels, which would make words, and nothing that is mistaken for something else."""
LENGTH: Final = 6


def pseudonyms(task: Task, run_ids: Sequence[int], runs: Sequence[RunFacts]) -> tuple[list[str], dict[str, str]]:
    """The pseudonym of each run, and of each team by its name. `runs`: what a board says of the runs of `run_ids`.

    They follow from a secret of the site, so nobody outside can compute which run a pseudonym stands for.
    """
    of_runs, of_teams = _published_before(task)
    for run in run_ids:
        if run not in of_runs:
            of_runs[run] = _new("run", f"{task.pk}:{run}", of_runs.values())
    team_ids = dict(Run.objects.filter(pk__in=run_ids).values_list("pk", "team"))
    # A run that is not stored any more has its team by the name on the board.
    named = {facts.team: team_ids.get(run, facts.team) for run, facts in zip(run_ids, runs, strict=True)}
    for team in named.values():
        if team not in of_teams:
            of_teams[team] = _new("team", f"{task.pk}:{team}", of_teams.values())
    return [of_runs[run] for run in run_ids], {name: of_teams[team] for name, team in named.items()}


def _published_before(task: Task) -> tuple[dict[int, str], dict[int | str, str]]:
    """Of runs and teams by their keys."""
    of_runs: dict[int, str] = {}
    of_teams: dict[int | str, str] = {}
    boards = list(Leaderboard.objects.filter(task=task, audience=ANONYMOUS).order_by("number"))
    run_ids = {run for leaderboard in boards for run in leaderboard.run_ids}
    team_ids: Mapping[int, int] = dict(Run.objects.filter(pk__in=run_ids).values_list("pk", "team"))
    for leaderboard in boards:
        for run, facts in zip(leaderboard.run_ids, stored_board(str(leaderboard.board.name)).runs, strict=True):
            of_runs.setdefault(run, facts.tag)
            if run in team_ids:
                of_teams.setdefault(team_ids[run], facts.team)
    return of_runs, of_teams


def _new(kind: str, of: str, taken: Iterable[str]) -> str:
    used, attempt = set(taken), 0
    while True:
        number = int(
            salted_hmac(f"evaluation.pseudonyms.{kind}", f"{of}:{attempt}", algorithm="sha256").hexdigest(), 16
        )
        letters = "".join(LETTERS[number // len(LETTERS) ** place % len(LETTERS)] for place in range(LENGTH))
        if (name := f"{kind}-{letters}") not in used:
            return name
        attempt += 1
