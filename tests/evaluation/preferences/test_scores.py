"""Runs scored by an order of preferences: the values, when they are computed, and their file."""

import numpy as np
import polars as pl
import pytest

from campaign.formats.runs.order_setting import Ordering
from campaign.models import Task
from campaign.queue.jobs import Job
from evaluation.models import PreferenceScores
from evaluation.preferences.scoring import scores_by
from evaluation.preferences.selectors import preference_board
from evaluation.preferences.services import order_score
from judging.models import PreferenceOrder
from judging.preferences.services import preference_order_release
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import client_of
from tests.judging.preferences.makers import answer_all, make_comparison

PERSISTENCE = 0.95


def overlap(ranking: list[str], ideal: list[str]) -> float:
    """Rank-biased overlap to the greater depth, rank by rank as it is defined."""
    depth = max(len(ranking), len(ideal))
    weights = [PERSISTENCE ** (rank - 1) for rank in range(1, depth + 1)]
    shared = [len(set(ranking[:rank]) & set(ideal[:rank])) / rank for rank in range(1, depth + 1)]
    return sum(map(float.__mul__, weights, shared)) / sum(weights)


def compat(ranking: list[str], levels: list[list[str]]) -> float:
    """Against the order of the levels that comes nearest: within a level as the run has them, then the others."""
    place = {docno: rank for rank, docno in enumerate(ranking)}
    ideal = [docno for level in levels for docno in sorted(level, key=lambda one: place.get(one, len(place)))]
    depth = max(len(ranking), len(ideal))
    best = [*ideal, *(f"other {rank}" for rank in range(depth - len(ideal)))]
    of_itself = sum(PERSISTENCE ** (rank - 1) * min(rank, len(ideal)) / rank for rank in range(1, depth + 1)) / sum(
        PERSISTENCE ** (rank - 1) for rank in range(1, depth + 1)
    )
    assert len(best) == depth
    return overlap(ranking, ideal) / of_itself


@pytest.mark.parametrize("seed", range(5))
def test_compat_of_an_order_equals_its_definition_rank_by_rank(seed: int) -> None:
    generator = np.random.default_rng(seed)
    docnos = np.array([f"D{place}" for place in range(9)])
    chosen = generator.permutation(docnos)[:6].tolist()
    cuts = sorted(generator.choice(np.arange(1, 6), size=2, replace=False).tolist())
    levels = [chosen[: cuts[0]], chosen[cuts[0] : cuts[1]], chosen[cuts[1] :]]
    ranking = generator.permutation(docnos)[:7].tolist()
    rows = [("1", docno, number) for number, level in enumerate(levels, 1) for docno in level]
    order = pl.DataFrame(rows, schema=["topic", "docno", "level"], orient="row")
    run = pl.DataFrame({"topic": "1", "docno": ranking, "score": np.arange(7.0)[::-1]})
    [scored] = scores_by(order, [run], Ordering())
    assert scored.mean == pytest.approx(compat(ranking, levels), abs=1e-12)


def test_a_missed_topic_counts_as_nothing_and_the_order_of_ties_does_not_matter() -> None:
    rows = [("1", "a", 1), ("1", "b", 1), ("2", "c", 1)]
    order = pl.DataFrame(rows, schema=["topic", "docno", "level"], orient="row")
    runs = [pl.DataFrame({"topic": "1", "docno": docnos, "score": [2.0, 1.0]}) for docnos in (["a", "b"], ["b", "a"])]
    first, second = scores_by(order, runs, Ordering())
    assert first.values.tolist() == second.values.tolist() == [1.0, 0.0]
    assert (first.mean, first.answered) == (0.5, 1)


@pytest.fixture
def order(cast: Cast) -> PreferenceOrder:
    first, second = make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b", "c"])
    make_qrels(cast.task, {"1": {"a": 1, "b": 1}, "2": {"c": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "right", {"1": ["a", "b"], "2": ["c"]})
    make_valid_run(cast.task, cast.team, "=wrong", {"1": ["b", "a"]})
    answer_all(make_comparison(cast, first, ["a", "b"]))
    make_comparison(cast, second, ["c"])
    return preference_order_release(actor=cast.organiser, task=cast.task, qrels=cast.task.qrels.get())


def score(order: PreferenceOrder) -> None:
    order_score(order=order, report=lambda done, total: None)


def test_every_valid_run_is_scored_once_and_again_when_it_changed(cast: Cast, order: PreferenceOrder) -> None:
    score(order)
    before = set(PreferenceScores.objects.values_list("pk", flat=True))
    score(order)
    assert set(PreferenceScores.objects.values_list("pk", flat=True)) == before
    board = preference_board(order)
    assert board.board is not None
    assert [run.tag for run in board.board.runs] == ["=wrong", "right"]
    assert board.values[:, 1].tolist() == [0.0, 1.0]
    assert board.board.column("Compat").mean[1] == 1.0
    Task.objects.filter(pk=cast.task.pk).update(run_order="line")
    order.refresh_from_db()
    order.task.refresh_from_db()
    assert preference_board(order).unscored == 2
    score(order)
    assert preference_board(order).unscored == 0


def test_a_release_and_a_run_that_comes_later_ask_for_scores(cast: Cast, order: PreferenceOrder) -> None:
    asked = Job.objects.filter(name="score by preferences")
    assert [job.arguments for job in asked] == [{"order_id": order.pk}]


def test_the_file_has_a_value_for_each_topic_and_no_formulas(cast: Cast, order: PreferenceOrder) -> None:
    score(order)
    content = client_of(cast, "organiser").get(cast.task.url("preference_scores_csv", version=1)).content.decode()
    head, *lines = content.splitlines()
    assert head == "run,team,kind,topics_answered,mean,topic 1,topic 2"
    assert any(line.startswith("'=wrong,") and line.endswith(",0.0") for line in lines)
    assert any(line.startswith("right,") and line.endswith(",2,1.0,1.0,1.0") for line in lines)


def test_the_page_shows_runs_by_mean_with_their_topics(cast: Cast, order: PreferenceOrder) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("preference_scores", version=1)
    assert b"Score 2 missing runs" not in client.get(url).content  # a job waits
    score(order)
    page = client.get(url).content.decode()
    assert page.index(">right<") < page.index(">=wrong<")
    assert "1.0000" in page
    assert "step-down max-T test, all pairs of runs" in page


def test_topics_stand_in_natural_order_each_above_its_own_values(cast: Cast) -> None:
    topics = make_topics(cast.task, ["10", "9"])
    make_collection(cast.task, ["a", "b"])
    make_qrels(cast.task, {"9": {"a": 1}, "10": {"b": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "half", {"9": ["a"]})
    for topic, docno in zip(topics, "ba", strict=True):
        make_comparison(cast, topic, [docno])
    released = preference_order_release(actor=cast.organiser, task=cast.task, qrels=cast.task.qrels.get())
    assert released.topic_numbers == ["10", "9"]
    score(released)
    page = client_of(cast, "organiser").get(cast.task.url("preference_scores", version=1))
    assert page.context["numbers"] == ["9", "10"]
    assert page.context["runs"] == [("half", [1.0, 0.0])]
