"""Two runs compared: the figures by hand, and what each reader finds on the pages."""

import csv
import io
import json
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.analysis.compare.figures import costs, losses, pair_tests, side_by_side, two_runs
from evaluation.services.leaderboards import leaderboard_publish
from tests.draws import examples
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.factories import Cast
from tests.judging.makers import client_of

A = np.array([0.02, 0.39, 0.16, 0.58, 0.04, 0.09, 0.12])
B = np.array([0.76, 0.07, 0.37, 0.21, 0.02, 0.91, 0.46])


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=1, max_size=12), st.booleans())
@examples(50)
def test_without_the_topics_that_decide_the_better_run_is_not_better(pairs: list[tuple[int, int]], less: bool) -> None:
    values = np.array(pairs, dtype=float).T / 10
    found = two_runs(values, 0, 1, lower_is_better=less)
    total = round(float((values[0] - values[1]).sum()), 9)
    assert found.decides.any() == (total != 0)
    left = round(float((values[0] - values[1])[~found.decides].sum()), 9)
    assert left * np.sign(total) <= 0
    if found.decides.sum() > 1:
        smallest = np.abs(found.difference[found.decides]).min()
        assert (abs(left) < smallest) or left == 0 or np.sign(left) != np.sign(total)
    assert found.wins + found.losses + found.ties == len(pairs)


def test_topics_that_one_of_the_runs_lacks_are_left_out() -> None:
    found = two_runs(np.array([[0.5, np.nan, 0.2], [0.4, 0.3, np.nan]]), 0, 1)
    assert (found.order.tolist(), found.wins) == ([0], 1)


def test_the_tests_of_a_pair_are_those_of_scipy() -> None:
    found = pair_tests(A, B, 1)
    assert found.p["t"] == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert found.p["wilcoxon"] == pytest.approx(0.46875)
    assert found.p["sign"] == pytest.approx(stats.binomtest(3, 7).pvalue)
    exact = stats.permutation_test(
        (A, B),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=1e6,
    )
    assert found.p["randomisation"] == pytest.approx(exact.pvalue)


def test_of_one_topic_nothing_is_known() -> None:
    found = pair_tests(np.array([0.2]), np.array([0.9]), 1)
    assert (found.low, found.high, set(found.p.values())) == (None, None, {1.0})


def test_documents_cost_what_their_ranks_bring_less() -> None:
    lists = [
        pl.DataFrame({"docno": docs, "position": range(1, len(docs) + 1)}) for docs in (["r", "n"], ["n", "q", "r"])
    ]
    grades = pl.DataFrame({"docno": ["r", "n", "u", "m"], "grade": [2, 0, -1, 1]})
    pairs = side_by_side(*lists, grades)
    assert pairs.rows() == [("r", 2, 1, 3), ("n", 0, 2, 1), ("q", None, None, 2), ("m", 1, None, None)]
    assert costs(pairs, 1).rows() == [("r", 2, 1, 3, pytest.approx(2 * (1 - 1 / 2)))]
    assert costs(pairs, 1, "2:10").rows() == [("r", 2, 1, 3, pytest.approx(10 * (1 - 1 / 2)))]


def test_documents_are_ordered_by_the_gains_of_the_task() -> None:
    pairs = pl.DataFrame({"docno": ["x", "y"], "grade": [2, 3], "a": [1, 2], "b": [2, 13]})
    assert costs(pairs, 2, "2:10;3:3")["docno"].to_list() == ["x", "y"]
    assert costs(pairs, 2, "2:1;3:10")["docno"].to_list() == ["y", "x"]
    assert losses(pairs, "b", 2, "2:10;3:3")["docno"].to_list() == ["x", "y"]
    assert losses(pairs, "b", 2, "2:1;3:10")["docno"].to_list() == ["y", "x"]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


@pytest.mark.django_db
def test_readers_compare_runs_and_a_team_finds_the_documents_that_cost_it(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    asked = {"a": "good", "b": "poor", "measure": "AP"}
    shown = page(None, scored.task.url("leaderboard_compare", number=1), **asked)
    assert "good is better on 2, poor on 1, equal on 0" in shown
    assert 0 < shown.index("Not significantly different:") < shown.index("Mean difference"), "the verdict comes first"
    assert f'href="{scored.task.url("leaderboard_topic", number=1, topic="1")}?measure=AP">1</a>' in shown
    assert "side by side" not in shown, "no run is open to this reader"
    assert "side by side" in page(scored.other_member, scored.task.url("leaderboard_compare", number=1), **asked)
    assert "beside good" not in page(None, scored.task.url("leaderboard_run", number=1, tag="poor"))
    assert "beside good" in page(scored.other_member, scored.task.url("leaderboard_run", number=1, tag="poor"))
    topic = scored.task.url("leaderboard_compare_topic", number=1, topic="1")
    assert page(None, topic, **asked).count("seen by its team and the organisers only") == 2
    own = page(scored.other_member, topic, **asked)
    assert own.count("seen by its team and the organisers only") == 1
    assert "Relevant documents that made the largest difference" not in own
    assert "In good" not in own, "where it stands in a run that is not open is not told"
    assert "Relevant documents that the run ranks too low" in own
    everything = page(scored.organiser, topic, **asked)
    assert "Relevant documents that made the largest difference" in everything
    costly = everything.split("<tbody>")[1].split("</tbody>")[0]
    assert costly.index("/documents/a/") < costly.index("/documents/c/") if "/documents/c/" in costly else True
    assert "not judged" in everything


@pytest.mark.django_db
def test_two_ticked_runs_are_those_that_are_compared(scored: Cast) -> None:
    client = Client()
    client.force_login(scored.organiser)
    shown = client.get(scored.task.url("scores_compare"), {"run": ["lame", "poor"], "measure": "AP"}).content.decode()
    assert shown.count("<option selected>lame</option>") == 1
    assert shown.index("<option selected>lame</option>") < shown.index("<option selected>poor</option>")


@pytest.mark.django_db
def test_files_hold_what_the_page_shows(scored: Cast) -> None:
    asked = {"a": "good", "b": "poor", "measure": "AP"}
    data = json.loads(page(scored.organiser, scored.task.url("scores_compare_file", file_format="json"), **asked))
    expected = {"1": 1.0 - (1 / 2 + 2 / 3) / 2, "2": 0.5, "3": -0.5}
    assert {row["topic"]: row["difference"] for row in data["topics"]} == pytest.approx(expected)
    assert data["p_corrected"] == pytest.approx(data["p_corrected"])
    url = scored.task.url("scores_compare_file", file_format="csv")
    client = Client()
    client.force_login(scored.organiser)
    lines = list(csv.DictReader(io.StringIO(client.get(url, asked).content.decode())))
    assert [line["topic"] for line in lines] == [row["topic"] for row in data["topics"]]
    for file_format, start in (("svg", "<svg"), ("pdf", "%PDF"), ("png", "\ufffdPNG")):
        drawn = page(scored.organiser, scored.task.url("scores_compare_file", file_format=file_format), **asked)
        assert drawn.startswith(start)
    assert status(scored.organiser, scored.task.url("scores_compare_file", file_format="exe"), **asked) == 404


@pytest.mark.django_db
def test_what_an_address_names_wrongly_falls_back_and_an_unknown_topic_is_not_found(scored: Cast) -> None:
    compare = scored.task.url("scores_compare")
    shown = page(scored.organiser, compare, a="nobody", b="<b>", measure="nonsense")
    assert "<option selected>good</option>" in shown
    assert "equal on 3" in page(scored.organiser, compare, a="good", b="good")
    assert status(scored.organiser, scored.task.url("scores_compare_topic", topic="99")) == 404
    assert [status(user, compare) for user in (scored.member, scored.assessor)] == [403, 403]


@pytest.mark.django_db
def test_of_more_than_two_ticked_runs_the_page_says_that_two_are_compared(scored: Cast) -> None:
    compare = scored.task.url("scores_compare")
    said = "You ticked 3 runs: these are the first two."
    answer = client_of(scored, "organiser").get(compare, {"run": ["poor", "lame", "good"]})
    assert said in answer.content.decode()
    assert "<option selected>poor</option>" in answer.content.decode()
    chosen = client_of(scored, "organiser").get(compare, {"run": ["poor", "lame", "good"], "a": "good", "b": "lame"})
    assert said not in chosen.content.decode()


@pytest.mark.django_db
def test_a_board_that_shows_one_run_has_nothing_to_tick(scored: Cast) -> None:
    board = scored.task.url("score_board")
    assert page(scored.organiser, board).count('form="compare-runs"') == 3
    narrowed = page(scored.organiser, board, team=str(scored.other_team))
    assert ("poor" in narrowed, 'form="compare-runs"' in narrowed) == (True, False)
