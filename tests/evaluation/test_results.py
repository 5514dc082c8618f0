"""What teams are told of a published board at home, on the page of a run and in the list of runs: what the board shows them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Membership, Run, Task, User
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.selectors.board_views import leaderboard_view
from evaluation.selectors.results import NEWS, listed_scores, results_to_read, standing_of, topics_lost
from tests.conftest import MadeOnce
from tests.evaluation.test_audiences import NAMES, TAGS, client_of, make_scored, publish
from tests.factories import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scored) as scored:
        yield scored


@pytest.fixture
def scored(made: Cast, db: None) -> Cast:
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def page(user: User, url: str) -> str:
    html = client_of(user).get(url).content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", html.partition("<main")[2]).split())


def of(tag: str) -> Run:
    return Run.objects.select_related("team", "task__campaign").get(tag=tag)


def other_member(tag: str) -> User:
    return User.objects.filter(pk__in=Membership.objects.filter(team=of(tag).team).values("user")).get()


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS])
def test_a_run_stands_where_the_whole_board_has_it(scored: Cast, audience: str) -> None:
    leaderboard = publish(scored, audience)
    column = leaderboard_view(scored.member, leaderboard).board.columns[0]
    place = leaderboard.run_ids.index(of(TAGS[0]).pk)
    standing = standing_of(scored.member, of(TAGS[0]))
    assert standing is not None
    assert standing.score == f"{column.mean[place]:.4f}"
    assert standing.rank.partition("–")[0] == str(column.rank_first[place])
    assert standing.runs == 4
    assert standing.median == f"{np.median(column.mean):.4f}"
    shown = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    assert f"{standing.rank} of 4" in shown
    assert f"Median of all runs {standing.median}" in shown
    assert (
        leaderboard.get_absolute_url()
        in client_of(scored.member).get(scored.task.url("run_scores", tag=TAGS[0])).content.decode()
    )


def test_a_board_for_participants_tells_of_no_rank_no_number_of_runs_and_no_median(scored: Cast) -> None:
    publish(scored, PARTICIPANTS)
    standing = standing_of(scored.member, of(TAGS[0]))
    assert standing is not None
    assert (standing.rank, standing.rank_range, standing.runs, standing.median) == ("", "", 0, "")
    shown = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    assert "Rank by" not in shown
    assert "Median of all" not in shown
    [told] = results_to_read(scored.member)
    assert told.text.startswith(f"Scores of your 2 runs are out: best AP {_best(scored)}")
    assert " of 4" not in told.text
    assert "median of all" not in told.text


def _best(scored: Cast) -> str:
    found = listed_scores(scored.member, scored.task)
    assert found is not None
    return max(found.by_run.values())


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS, PARTICIPANTS])
def test_nobody_reads_a_name_or_a_score_of_another_team_that_the_board_does_not_show(
    scored: Cast, audience: str
) -> None:
    publish(scored, audience)
    own = {of(tag).pk for tag in TAGS[:2]}
    home = page(scored.member, reverse("home"))
    run = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    runs = page(scored.member, scored.task.url("run_list"))
    for hidden in (TAGS[2], TAGS[3], *NAMES[5:]):
        assert hidden not in home + run + runs
    found = listed_scores(scored.member, scored.task)
    assert found is not None
    if audience == PARTICIPANTS:
        assert set(found.by_run) == own
    for tag in TAGS[:2]:
        assert found.by_run[of(tag).pk] in runs


def test_before_a_publication_nobody_is_told_anything(scored: Cast) -> None:
    assert standing_of(scored.member, of(TAGS[0])) is None
    assert results_to_read(scored.member) == []
    assert listed_scores(scored.member, scored.task) is None
    assert listed_scores(scored.organiser, scored.task) is None


def test_the_home_page_says_rank_range_median_and_the_topics_where_most_was_lost(scored: Cast) -> None:
    leaderboard = publish(scored, PUBLIC)
    user = other_member(TAGS[3])
    [told] = results_to_read(user)
    standing = standing_of(user, of(TAGS[3]))
    assert standing is not None
    assert told.text.startswith("The scores of your run are out: best rank")
    assert f"median of all {standing.median}, your best {standing.score}" in told.text
    assert told.text.endswith("where your best run lost most against the median: 1, 2 and 3")
    assert told.step.url == leaderboard.get_absolute_url()
    shown = page(user, reverse("home"))
    assert told.text in shown
    assert "You have no next steps" not in shown


def test_the_topics_lost_are_those_furthest_below_the_median_of_all(scored: Cast) -> None:
    leaderboard = publish(scored, PUBLIC)
    seen = leaderboard_view(scored.member, leaderboard)
    values = seen.values[:, 0, :]
    for place in range(len(values)):
        behind = {
            topic: float(np.median(values[:, at]) - values[place, at]) for at, topic in enumerate(seen.board.topics)
        }
        below = sorted((topic for topic in behind if behind[topic] > 0), key=lambda topic: -behind[topic])
        assert topics_lost(seen, place) == below[:3]


def test_others_than_members_of_teams_with_runs_are_told_of_no_results(scored: Cast) -> None:
    publish(scored, PUBLIC)
    for user in (scored.organiser, scored.assessor, scored.stranger):
        assert results_to_read(user) == []


def test_withdrawn_runs_old_boards_and_archived_campaigns_are_no_news(scored: Cast) -> None:
    publish(scored, PUBLIC)
    Run.objects.filter(tag=TAGS[0]).update(state=Run.WITHDRAWN)
    assert standing_of(scored.member, of(TAGS[0])) is None
    [told] = results_to_read(scored.member)
    assert told.text.startswith("The scores of your run are out")
    Campaign.objects.update(closed_at=timezone.now())
    assert len(results_to_read(scored.member)) == 1
    Campaign.objects.update(archived_at=timezone.now())
    assert results_to_read(scored.member) == []


def test_a_board_is_news_for_a_month(scored: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(scored, PUBLIC)
    later = timezone.now() + NEWS
    monkeypatch.setattr(timezone, "now", lambda: later - timedelta(hours=1))
    assert len(results_to_read(scored.member)) == 1
    monkeypatch.setattr(timezone, "now", lambda: later + timedelta(hours=1))
    assert results_to_read(scored.member) == []
