"""What a board for participants tells a member of a team of the others, and what nobody is told before all is public."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.http import HttpResponse
from django.test import Client

from campaign.models import Job, Membership, Run, Task, Team, User, job_key
from campaign.runs.services.submission import run_withdraw
from evaluation.analysis.reliability.selectors import REPORT_OF_LEADERBOARD
from evaluation.boards.board import Board, RunFacts
from evaluation.boards.choice import Choice
from evaluation.boards.own import values_of_all
from evaluation.models import Leaderboard
from evaluation.selectors.todo import scores_to_publish
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.api.makers import make_token
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_received_run, make_team, make_topics, make_user

RUNS = {"own-1": "North", "own-2": "North", "other-1": "South", "other-2": "South", "other-3": "East"}


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    """Five runs of three teams; the member of the cast is in one of them, "North"."""
    Team.objects.filter(pk=cast.team.pk).update(name="North")
    teams = {"North": cast.team}
    teams |= {name: make_team(name, members=(make_user(),), campaign=cast.campaign) for name in ("South", "East")}
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2"])
    make_qrels(cast.task, {topic: {"a": 1, "b": 0, "x": 1} for topic in ("1", "2")}, cast.organiser)
    lists = (["a", "x"], ["b", "a"], ["x", "b", "a"], ["b"], ["b", "b1", "x"])
    for (tag, team), ranking in zip(RUNS.items(), lists, strict=True):
        make_valid_run(cast.task, teams[team], tag, {"1": ranking, "2": ranking})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))
    return cast


def publish(cast: Cast, audience: str) -> Leaderboard:
    return leaderboard_publish(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), audience=audience)


def answer(user: User | None, url: str, **headers: str) -> HttpResponse:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(url, headers=headers)


def text_of(response: Any) -> str:
    return bytes(response.getvalue()).decode(errors="replace")


def figures_told(cast: Cast) -> set[tuple[Any, ...]]:
    """Lowest, median and highest of every topic, as the member gets them in JSON."""
    data = json.loads(text_of(answer(cast.member, cast.task.url("leaderboard_json", number=1))))
    topics = [topic for run in data["runs"] for of in run["measures"].values() for topic in of["topics"]]
    return {(topic["low"], topic["median"], topic["high"]) for topic in topics}


def test_a_topic_that_fewer_than_three_teams_have_a_value_of_is_told_to_none() -> None:
    board = Board(tuple(RunFacts(tag, team, "automatic", 2) for tag, team in RUNS.items()), ("1", "2"), (), Choice())
    values = np.arange(10.0).reshape(5, 1, 2)
    values[4, 0, 1] = np.nan
    told = values_of_all(board, values, [0, 1])
    assert told[:, 0, 0].tolist() == values[:, 0, 0].tolist()
    assert np.isnan(told[:, 0, 1]).all(), "two teams are left: the value that is not the reader's is the other's"


@pytest.mark.django_db
def test_who_is_in_two_of_three_teams_does_not_learn_the_values_of_the_third(scored: Cast) -> None:
    publish(scored, "participants")
    assert (None, None, None) not in figures_told(scored)
    Membership.objects.create(team=Team.objects.get(name="South"), user=scored.member)
    assert figures_told(scored) == {(None, None, None)}


@pytest.mark.django_db
def test_the_picture_of_a_teams_run_has_no_quartiles_of_the_runs_of_others(scored: Cast) -> None:
    publish(scored, "participants")
    url = scored.task.url("leaderboard_run_file", number=1, tag="own-1", file_format="svg")
    own, whole = text_of(answer(scored.member, url)), text_of(answer(scored.organiser, url))
    assert "Bar: median" in own
    assert "middle half" not in own, "with quartiles the five values of a topic are known"
    assert "middle half" in whole
    Membership.objects.create(team=Team.objects.get(name="South"), user=scored.member)
    assert "Medians: not told." in text_of(answer(scored.member, url))


@pytest.mark.django_db
def test_a_list_of_leaderboards_has_no_checksum_of_scores_that_the_reader_does_not_see(scored: Cast) -> None:
    leaderboard = publish(scored, "participants")
    url = f"/api/v1/campaigns/{scored.campaign.slug}/tasks/{scored.task.slug}/leaderboards"

    def listed(user: User) -> list[str]:
        data = json.loads(text_of(answer(None, url, authorization=f"Bearer {make_token(user)}")))
        return [board["sha256"] for board in data["items"]]

    assert listed(scored.member) == [""]
    assert listed(scored.organiser) == [leaderboard.sha256]


@pytest.mark.django_db
def test_why_a_report_failed_is_told_to_organisers_only(scored: Cast) -> None:
    leaderboard = publish(scored, "anonymous")
    key = job_key({"leaderboard_id": leaderboard.pk})
    Job.objects.filter(name=REPORT_OF_LEADERBOARD).delete()
    said = "The stored file runs/ab/own-1.gz is missing"
    Job.objects.create(name=REPORT_OF_LEADERBOARD, key=key, state=Job.FAILED, message=said)
    url = leaderboard.task.url("leaderboard_reliability", number=1)
    for headers in ({}, {"HX-Request": "true"}):
        assert said in text_of(answer(scored.organiser, url, **headers))
        for reader in (None, scored.member):
            page = text_of(answer(reader, url, **headers))
            assert said not in page
            assert "could not be computed" in page


@pytest.mark.django_db
def test_a_team_whose_runs_are_not_on_the_board_reads_so_and_nothing_of_others(scored: Cast) -> None:
    team = make_team("West", members=(make_user("west"),), campaign=scored.campaign)
    make_received_run(scored.task, team, "west-1", b"1 Q0 a 1 1.0 west-1\n", state=Run.REJECTED)
    publish(scored, "participants")
    member = User.objects.get(username="west")
    for name in ("leaderboard_detail", "leaderboard_csv", "leaderboard_json"):
        page = text_of(answer(member, scored.task.url(name, number=1)))
        assert [tag for tag in RUNS if tag in page] == []
    page = text_of(answer(member, scored.task.url("leaderboard_detail", number=1)))
    assert "None of your runs is on this board" in page
    assert "None of your runs is on it" in text_of(answer(member, scored.task.url("scores_card")))
    assert "See your scores" in text_of(answer(scored.member, scored.task.url("scores_card")))


@pytest.mark.django_db
def test_what_waits_for_an_organiser_says_who_sees_the_scores_already(scored: Cast) -> None:
    Task.objects.filter(pk=scored.task.pk).update(phase=Task.SCORES)

    def said() -> list[str]:
        return [waits.text for waits in scores_to_publish(scored.organiser, [Task.objects.get(pk=scored.task.pk)])]

    assert said() == ["scores by qrels v1 not public"]
    publish(scored, "participants")
    assert said() == ["scores by qrels v1 published to participants only"]
    publish(scored, "anonymous")
    assert said() == ["scores by qrels v1 public without names only"]
    publish(scored, "public")
    assert said() == []


@pytest.mark.django_db
def test_who_sees_no_board_is_not_told_that_nothing_is_published(scored: Cast) -> None:
    publish(scored, "participants")
    for name in ("leaderboard_latest", "scores_card"):
        page = text_of(answer(scored.stranger, scored.task.url(name)))
        assert "Nothing is published" not in page
        assert "The organisers decide when the scores are published, and to whom." in page


@pytest.mark.django_db
def test_the_picture_of_a_preview_has_the_pseudonyms_of_the_runs_that_it_is_of_now(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    def shown(name: str, **kwargs: str) -> str:
        return text_of(answer(scored.organiser, scored.task.url(f"preview_{name}", audience="anonymous", **kwargs)))

    before = {line.split(",")[0] for line in shown("csv").splitlines()[1:]}
    assert all(name in shown("picture", measure="AP") for name in before)
    run = scored.task.runs.get(tag="other-3")
    with django_capture_on_commit_callbacks(execute=True):
        run_withdraw(actor=scored.organiser, run=run)
    Run.objects.filter(pk=run.pk).update(attempt=2)
    make_valid_run(scored.task, run.team, run.tag, {topic: ["b", "b1", "x"] for topic in ("1", "2")})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    after = {line.split(",")[0] for line in shown("csv").splitlines()[1:]}
    assert len(after - before) == len(before - after) == 1
    picture = shown("picture", measure="AP")
    assert all(name in picture for name in after)


@pytest.mark.django_db
def test_who_names_runs_that_had_pseudonyms_is_told_that_these_hide_nothing_then(scored: Cast) -> None:
    url, said = scored.task.url("leaderboard_publish"), "know who is who on leaderboard 1."
    assert said not in text_of(answer(scored.organiser, url))
    publish(scored, "anonymous")
    assert said in text_of(answer(scored.organiser, url))


@pytest.mark.django_db
def test_a_preview_by_another_set_of_qrels_links_no_page_by_the_first(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    make_qrels(scored.task, {topic: {"x": 1} for topic in ("1", "2")}, scored.organiser, set_name="clarity")
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    url = scored.task.url("preview_detail", audience="participants")
    run = scored.task.url("preview_run", audience="participants", tag="other-3")
    assert run in text_of(answer(scored.organiser, url))
    page = text_of(answer(scored.organiser, f"{url}?set=clarity"))
    assert "other-3" in page
    assert run not in page
