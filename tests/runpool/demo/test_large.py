"""The campaign of the usual size, made small."""

import json

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Document, Run, Task, Team
from evaluation.models import Leaderboard
from judging.models import Judgment
from runpool.demo.large import _grades, _run_text
from tests.factories import make_user

SMALL = ("--topics", "12", "--runs", "6", "--teams", "3")
pytestmark = pytest.mark.django_db(transaction=True)


def _load() -> None:
    call_command("load_large", *SMALL, verbosity=0)


def _bytes_of_runs() -> dict[str, str]:
    return dict(Run.objects.values_list("tag", "sha256"))


def test_it_makes_the_topics_runs_and_teams_that_are_asked_for_judged_and_published() -> None:
    _load()
    task = Task.objects.get()
    assert (task.topics.count(), Run.objects.filter(state=Run.VALID).count(), Team.objects.count()) == (12, 6, 3)
    assert Document.objects.count() == 12 * 40
    assert task.phase == Task.PUBLISHED
    with Leaderboard.objects.get().board.open() as board:
        assert len(json.load(board)["runs"]) == 6
    relevant = Judgment.objects.filter(grade__gte=task.lowest_relevant_grade)
    assert 0 < relevant.count() < Judgment.objects.count()
    judged = set(Judgment.objects.values_list("topic__number", flat=True))
    assert len(judged) == 4, "each of four assessors has three topics, and two of them are left"
    before = _bytes_of_runs()
    _load()
    assert _bytes_of_runs() == before, "a second load changes nothing"


def test_every_load_makes_the_same_bytes() -> None:
    grades = _grades(3)
    assert (grades == _grades(3)).all()
    text = _run_text("large-team-1-1", 0, 6, grades)
    assert text == _run_text("large-team-1-1", 0, 6, grades)
    assert text != _run_text("large-team-1-1", 1, 6, grades)


@pytest.mark.sqlite("runpool.demo.large._require_site_of_developers")
def test_a_site_with_users_of_its_own_is_refused() -> None:
    make_user("somebody")
    with pytest.raises(CommandError, match="users of its own"):
        _load()
    assert not Task.objects.exists()


@pytest.mark.parametrize("odd", [("--topics", "11"), ("--runs", "0"), ("--teams", "0")])
def test_a_size_without_anything_to_judge_is_refused_before_anything_is_made(odd: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="at least 12 topics, 1 run and 1 team"):
        call_command("load_large", *odd, verbosity=0)
    assert not Task.objects.exists()
