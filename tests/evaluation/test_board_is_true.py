"""What a board shows is of one qrels version, of the task's own measures and gains, and of runs as they are now."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.models import Grade, Run, User
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.boards import scored_runs
from evaluation.selectors.run_scores import newest_scores, published_scores
from evaluation.selectors.scores import scoring
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.makers import column, confirmation_of, make_qrels, make_valid_run, rewrite_evaluation
from tests.factories import Cast, make_topics

GRADES = {"1": {"a": 1, "b": 2, "c": 3, "d": 0}, "2": {"x": 2, "y": 3}}
RANKING = {"1": ["d", "b", "a"], "2": ["x", "z", "y"]}


@pytest.fixture
def score(django_capture_on_commit_callbacks: Callable[..., Any]) -> Callable[[Cast], None]:
    def ask(cast: Cast) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            scores_request(actor=cast.organiser, task=cast.task)

    return ask


@pytest.fixture
def scored(cast: Cast, score: Callable[[Cast], None]) -> Cast:
    make_topics(cast.task, ["1", "2"])
    set_measures(cast, "nDCG@10", "AP")
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "one", RANKING)
    make_valid_run(cast.task, cast.other_team, "two", {"1": ["c"], "2": ["y"]})
    score(cast)
    return cast


def set_measures(cast: Cast, *measures: str) -> None:
    cast.task.measures = list(measures)
    cast.task.save()


def page(user: User | None, url: str, **headers: str) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(url, headers=headers)
    assert response.status_code == 200
    return response.getvalue().decode()


def expected_ndcg(gains: dict[int, int]) -> float:
    """trec_eval on qrels whose grades are the gains already."""
    qrels = {topic: {docno: gains[grade] for docno, grade in judged.items()} for topic, judged in GRADES.items()}
    run = {topic: {docno: float(-rank) for rank, docno in enumerate(ranking)} for topic, ranking in RANKING.items()}
    by_topic = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)
    return float(np.mean([scores["ndcg_cut_10"] for scores in by_topic.values()]))


@pytest.mark.parametrize(
    ("gains", "name"),
    [
        ({0: 0, 1: 1, 2: 2, 3: 3}, "nDCG@10"),
        ({0: 0, 1: 1, 2: 3, 3: 7}, "nDCG(gain=exponential)@10"),
        ({0: 0, 1: 0, 2: 4, 3: 10}, "nDCG(gain=1:0;2:4;3:10)@10"),
        ({0: 1, 1: 2, 2: 3, 3: 4}, "nDCG(gain=0:1;1:2;2:3;3:4)@10"),
    ],
)
def test_ndcg_counts_the_gains_of_the_tasks_scale_and_its_name_says_so(
    scored: Cast, score: Callable[[Cast], None], gains: dict[int, int], name: str
) -> None:
    for value, gain in gains.items():
        Grade.objects.filter(task=scored.task, value=value).update(gain=gain)
    score(scored)
    assert Evaluation.objects.get(run__tag="one").means[name] == pytest.approx(expected_ndcg(gains))
    board = page(scored.organiser, scored.task.url("score_board"))
    assert (">linear gain" in board) == (name == "nDCG@10")
    assert page(scored.organiser, scored.task.url("scores_picture", measure=name)).startswith("<svg")


@pytest.mark.parametrize("linear", ["nDCG(gain=linear)@10", "nDCG(dcg='log2')@10"])
def test_a_gain_that_the_measures_name_sets_wins_over_the_scale(
    scored: Cast, score: Callable[[Cast], None], linear: str
) -> None:
    Grade.objects.filter(task=scored.task, value=3).update(gain=9)
    set_measures(scored, linear, "nDCG@10")
    score(scored)
    assert Evaluation.objects.get(run__tag="one").measures == ["nDCG@10", "nDCG(gain=3:9)@10"]


def test_changed_gains_make_scores_stale_until_they_are_asked_for(scored: Cast) -> None:
    Grade.objects.filter(task=scored.task, value=3).update(gain=9)
    board = scored_runs(scored.task)
    assert board is not None
    assert (board.measures, board.unscored) == (["AP"], 2)
    assert scoring(scored.task).scored == 0


def test_measures_that_share_nothing_with_the_old_ones_leave_an_empty_board_and_no_error(
    scored: Cast, score: Callable[[Cast], None]
) -> None:
    set_measures(scored, "RR")
    for name in ("score_board", "leaderboard_publish", "scores_card"):
        assert "nDCG" not in page(scored.organiser, scored.task.url(name))
    with pytest.raises(ValidationError, match="no scores to publish"):
        leaderboard_publish(actor=scored.organiser, task=scored.task)
    score(scored)
    assert leaderboard_publish(actor=scored.organiser, task=scored.task).measures == ["RR"]


def test_old_measures_are_not_published_when_the_task_names_others(scored: Cast) -> None:
    set_measures(scored, "AP", "RR")
    assert "Some valid runs have no scores" in page(scored.organiser, scored.task.url("score_board"))
    with pytest.raises(ValidationError, match="2 valid runs are not scored yet by the task's measures"):
        leaderboard_publish(actor=scored.organiser, task=scored.task)


def test_a_measure_named_twice_by_two_of_its_names_is_one_column(scored: Cast, score: Callable[[Cast], None]) -> None:
    set_measures(scored, "AP", "map", "RR")
    score(scored)
    assert leaderboard_publish(actor=scored.organiser, task=scored.task).measures == ["AP", "RR"]


def test_only_subtopic_measures_without_subtopic_judgments_fail_with_a_remedy(
    scored: Cast, score: Callable[[Cast], None]
) -> None:
    set_measures(scored, "alpha-nDCG@10")
    score(scored)
    assert "need subtopic judgments" in page(scored.organiser, scored.task.url("score_board"))


@pytest.mark.parametrize("name", ["scores_card", "score_board", "leaderboard_publish"])
def test_an_unknown_measure_is_told_to_the_organiser_before_anything_is_scored(scored: Cast, name: str) -> None:
    set_measures(scored, "nDGC@10")
    shown = page(scored.organiser, scored.task.url(name))
    assert "Unknown measure nDGC@10. Near names: nDCG@10" in shown
    assert "task&#x27;s settings" in shown
    assert "nDGC" not in page(scored.member, scored.task.url("scores_card"))
    with pytest.raises(ValidationError, match="Unknown measure"):
        leaderboard_publish(actor=scored.organiser, task=scored.task)


def test_an_unknown_measure_is_told_even_before_there_are_qrels(cast: Cast) -> None:
    set_measures(cast, "nDGC@10")
    assert "Near names: nDCG@10" in page(cast.organiser, cast.task.url("scores_card"))


@pytest.mark.parametrize("state", [Run.WITHDRAWN, Run.REJECTED, Run.RECEIVED])
def test_a_run_that_does_not_count_has_no_scores_anywhere(scored: Cast, state: str) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    run = scored.task.runs.get(tag="one")
    Run.objects.filter(pk=run.pk).update(state=state)
    run.refresh_from_db()
    assert newest_scores(run) is None
    assert published_scores(run) is None
    board = scored_runs(scored.task)
    assert board is not None
    assert ([run.tag for run in board.runs], board.unscored) == (["two"], 0)
    assert list(column(scored.task, "AP")) == ["two"]


def test_an_evaluation_of_other_bytes_does_not_count(scored: Cast) -> None:
    rewrite_evaluation(Evaluation.objects.get(run__tag="one"), run_sha256="0" * 64)
    board = scored_runs(scored.task)
    assert board is not None
    assert ([run.tag for run in board.runs], board.unscored) == (["two"], 1)


def test_a_board_that_changed_since_it_was_seen_is_not_published(scored: Cast, score: Callable[[Cast], None]) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url, sent = scored.task.url("leaderboard_publish"), {"note": "", "audience": "public"}
    read = client.post(url, sent)
    make_qrels(scored.task, {"1": {"a": 1}}, scored.organiser)
    score(scored)
    again = client.post(url, confirmation_of(read, sent))
    assert "Nothing is published: what was shown has changed since" in again.content.decode()
    assert not Leaderboard.objects.exists()
    fresh = confirmation_of(again, sent)
    for _ in range(2):  # a second click publishes no second one
        answer = client.post(url, fresh)
        assert answer["Location"] == Leaderboard.objects.get().get_absolute_url()
    assert client.post(url, fresh | {"note": "more"}).status_code == 200
    assert Leaderboard.objects.count() == 1


def test_the_file_of_a_leaderboard_stays_complete_when_evaluations_are_gone(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    Evaluation.objects.all().delete()
    data = json.loads(page(None, scored.task.url("leaderboard_json", number=1)))
    for run in data["runs"]:
        for measure in data["measures"]:
            assert np.mean(run["values"][measure]) == pytest.approx(run["cells"][measure]["mean"])


def test_the_page_that_waits_for_scores_does_not_compute_the_board(scored: Cast) -> None:
    url = f"{scored.task.url('score_board')}?measure=AP"
    answer = page(scored.organiser, url, HX_Request="true", HX_Current_URL=f"http://testserver{url}")
    assert f'href="{url}"' in answer
    assert "<table" not in answer
    evil = page(scored.organiser, url, HX_Request="true", HX_Current_URL="javascript:alert(1)")
    assert "javascript" not in evil
