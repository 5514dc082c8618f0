"""How a new version of the qrels moves the runs on the board."""

from collections.abc import Callable

import numpy as np
import pytest

from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.qrels_impact import Effect, effect_on_board
from evaluation.services.scoring import scores_request
from judging.models import Qrels
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics
from tests.judging.makers import client_of

pytestmark = pytest.mark.django_db


def release_and_score(cast: Cast, grades: dict[str, dict[str, int]], capture: Callable) -> Qrels:
    qrels = make_qrels(cast.task, grades, cast.organiser)
    with capture(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    return qrels


@pytest.fixture
def released(cast: Cast, django_capture_on_commit_callbacks: Callable) -> tuple[Qrels, Qrels]:
    """By P@1: one, two and three have 1, 0, 0 at first, then 0, 1, 0."""
    make_topics(cast.task, ["1"])
    cast.task.measures = ["P@1", "AP"]
    cast.task.save()
    for tag, docno in (("one", "a"), ("two", "b"), ("three", "c")):
        make_valid_run(cast.task, cast.team, tag, {"1": [docno]})
    first = release_and_score(cast, {"1": {"a": 1, "b": 0}}, django_capture_on_commit_callbacks)
    return first, release_and_score(cast, {"1": {"a": 0, "b": 1}}, django_capture_on_commit_callbacks)


def test_runs_that_change_rank_are_named_with_taus_of_both_orders(cast: Cast, released: tuple[Qrels, Qrels]) -> None:
    effect = effect_on_board(cast.task, *released)
    assert isinstance(effect, Effect)
    # Of three pairs one is in opposite orders; two are tied in one version only, each in another: -1 / sqrt(2 * 2).
    assert (effect.measure, effect.tau, effect.runs, effect.missing) == ("P@1", pytest.approx(-0.5), 3, 0)
    ranks = [(run.tag, run.rank_before, run.rank, run.mean_before, run.mean) for run in effect.moved]
    assert ranks == [("two", "2–3", "1", "0.0000", "1.0000"), ("one", "1", "2–3", "1.0000", "0.0000")]


def test_a_run_that_only_the_newer_version_scored_is_left_out_and_counted(
    cast: Cast, released: tuple[Qrels, Qrels], django_capture_on_commit_callbacks: Callable
) -> None:
    make_valid_run(cast.task, cast.other_team, "late", {"1": ["b"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    effect = effect_on_board(cast.task, *released)
    assert isinstance(effect, Effect)
    assert (effect.runs, effect.missing) == (3, 1)


def test_the_effect_is_a_page_and_a_fragment_and_says_what_it_waits_for(
    cast: Cast, released: tuple[Qrels, Qrels]
) -> None:
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_effect", version=2)).content.decode()
    assert "-0.5000" in page
    assert "Effect of qrels v2 on the board" in page
    part = client.get(cast.task.url("qrels_effect", version=2), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "-0.5000" in part
    assert "no version before" in client.get(cast.task.url("qrels_effect", version=1)).content.decode()
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    unscored = client.get(cast.task.url("qrels_effect", version=3)).content.decode()
    assert "Fewer than two runs are scored under both" in unscored
    assert (
        cast.task.url("qrels_effect", version=3)
        in client.get(cast.task.url("qrels_detail", version=3)).content.decode()
    )


def test_tau_has_the_interval_of_the_values_by_topic_where_both_versions_count_the_same_topics(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    topics = [str(number) for number in range(1, 8)]
    make_topics(cast.task, topics)
    cast.task.measures = ["P@1"]
    cast.task.save()
    random = np.random.default_rng(8)
    grades = random.integers(0, 2, (2, len(topics), 4))
    for run in range(4):
        make_valid_run(cast.task, cast.team, f"run{run}", {topic: [f"d{run}"] for topic in topics})
    grades[:, :, 3] = 1
    versions = [
        release_and_score(
            cast,
            {topic: {f"d{run}": int(of[at, run]) for run in range(4)} for at, topic in enumerate(topics)},
            django_capture_on_commit_callbacks,
        )
        for of in grades
    ]
    effect = effect_on_board(cast.task, versions[0], versions[1])
    assert isinstance(effect, Effect)
    assert effect.tau_interval is not None
    assert effect.tau_interval == pytest.approx(tau_interval(grades[0].T.astype(float), grades[1].T.astype(float)))
    low, high = effect.tau_interval
    page = client_of(cast, "organiser").get(cast.task.url("qrels_effect", version=2)).content.decode()
    assert f"({low:.3f} to {high:.3f})" in page
    fewer = {topic: {"d0": 1, "d1": 0, "d2": 0, "d3": 1} for topic in topics[:6]}
    third = release_and_score(cast, fewer, django_capture_on_commit_callbacks)
    other = effect_on_board(cast.task, versions[1], third)
    assert isinstance(other, Effect)
    assert (other.tau_interval, other.same_topics) == (None, False)
    page = client_of(cast, "organiser").get(cast.task.url("qrels_effect", version=3)).content.decode()
    assert "Other topics count under v2 than under v3: τ has no interval." in page


def test_runs_move_by_the_first_measure_that_tells_how_good_a_run_is_and_by_none_other(
    cast: Cast, released: tuple[Qrels, Qrels], django_capture_on_commit_callbacks: Callable
) -> None:
    cast.task.measures = ["Judged@1", "AP"]
    cast.task.save()
    third = release_and_score(cast, {"1": {"a": 1, "c": 0}}, django_capture_on_commit_callbacks)
    fourth = release_and_score(cast, {"1": {"b": 1}}, django_capture_on_commit_callbacks)
    effect = effect_on_board(cast.task, third, fourth)
    assert isinstance(effect, Effect)
    assert effect.measure == "AP"
    cast.task.measures = ["Judged@1"]
    cast.task.save()
    said = "There are no ranks by Judged@1: it does not tell how good a run is. No run moves, and no order is compared."
    assert effect_on_board(cast.task, third, fourth) == said
    page = client_of(cast, "organiser").get(cast.task.url("qrels_effect", version=fourth.version)).content.decode()
    assert said in page
