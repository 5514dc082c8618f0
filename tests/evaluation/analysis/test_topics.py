"""Topics of a board: figures against scipy and by hand, and the pages."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from django.core.cache import caches
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from campaign.models import Grade
from evaluation.analysis.topics.figures import retrieved_counts, topic_agreement, topic_figures
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from tests.draws import examples
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_topics


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 5), st.booleans())
@examples(30)
def test_figures_of_topics_are_those_of_numpy_and_scipy(seed: int, n_runs: int, n_topics: int, lacks: bool) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, 5, (n_runs, n_topics)) / 4
    if lacks:
        values[random.random(values.shape) < 0.3] = np.nan
    found, agreement = topic_figures(values), topic_agreement(values)
    for topic in range(n_topics):
        column = values[:, topic]
        known = column[~np.isnan(column)]
        if not len(known):
            assert np.isnan(found.median[topic])
            assert (found.best[topic], found.best_runs[topic]) == (-1, 0)
            continue
        assert (found.low[topic], found.median[topic], found.high[topic]) == pytest.approx(
            (known.min(), np.median(known), known.max())
        )
        assert found.spread[topic] == pytest.approx(known.std(ddof=1) if len(known) > 1 else np.nan, nan_ok=True)
        assert column[found.best[topic]] == known.max()
        assert found.best_runs[topic] == (known == known.max()).sum()
        rest = [np.delete(row, topic) for row in values]
        means = np.array([row[~np.isnan(row)].mean() if (~np.isnan(row)).any() else np.nan for row in rest])
        both = ~np.isnan(column) & ~np.isnan(means)
        expected = stats.kendalltau(column[both], np.round(means[both], 12)).statistic if both.sum() > 1 else np.nan
        assert agreement[topic] == pytest.approx(expected, nan_ok=True)


def test_where_less_is_better_the_best_run_has_the_lowest_value() -> None:
    assert topic_figures(np.array([[0.5], [0.2]]), lower_is_better=True).best.tolist() == [1]


def test_a_document_that_no_run_retrieves_is_counted_as_such() -> None:
    lists = {
        run: pl.DataFrame({"docno": [f"d{run}", "r"], "position": [1, position]})
        for run, position in ((0, 10), (1, 11), (2, 101))
    }
    found = retrieved_counts(lists, pl.DataFrame({"docno": ["r", "lost"], "grade": [1, 1]}))
    assert found.rows() == [("r", 1, 1, 2), ("lost", 1, 0, 0)]
    assert retrieved_counts({}, pl.DataFrame({"docno": ["r"], "grade": [1]})).rows() == [("r", 1, 0, 0)]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


@pytest.mark.django_db
def test_the_pages_of_topics_tell_readers_what_was_found(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    listed = page(None, scored.task.url("leaderboard_topics", number=1), measure="RR", sort="-median")
    assert listed.index(">1</a>") < listed.index(">2</a>")
    first = page(None, scored.task.url("leaderboard_topic", number=1, topic="1"))
    assert "Counting in how many of the runs" in first
    assert "in no run’s first 100" not in first
    part = Client().get(scored.task.url("leaderboard_topic", number=1, topic="1"), headers={"HX-Request": "true"})
    assert "3 documents, 2 of them relevant" in part.content.decode()
    assert "<html" not in part.content.decode()
    one = page(None, scored.task.url("leaderboard_topic", number=1, topic="1"))
    assert "3 documents, 2 of them relevant" in one
    assert "0 relevant documents in no run’s first 100, 0 in one run’s only" in one
    make_collection(scored.task, ["a"])
    address, link = (
        scored.task.url("leaderboard_topic", number=1, topic="1"),
        scored.task.url("document_detail", docno="a"),
    )
    seen_by = {user: page(user, address) for user in (None, scored.stranger, scored.member)}
    assert all(re.search(r'<th scope="row">(<a [^>]*>)?a\b', shown) for shown in seen_by.values())
    assert {user for user, shown in seen_by.items() if f'href="{link}"' in shown} == {scored.member}, (
        "others are refused it"
    )
    Grade.objects.filter(task=scored.task).delete()
    assert "Next topic" in one
    assert status(None, scored.task.url("leaderboard_topic", number=1, topic="99")) == 404
    assert status(scored.member, scored.task.url("scores_topics")) == 403


@pytest.mark.django_db
def test_the_page_of_each_topic_has_its_own_figures_and_leads_to_the_topic_that_counts_on(cast: Cast) -> None:
    """The board has its topics in the order of text: 1, 10, 2."""
    topics = ["1", "2", "10"]
    make_topics(cast.task, topics)
    make_qrels(cast.task, {topic: {"a": 1} for topic in topics}, cast.organiser)
    make_valid_run(cast.task, cast.team, "early", {topic: ["a"] for topic in topics})
    make_valid_run(cast.task, cast.team, "late", {"1": ["a"], "2": ["b", "a"], "10": ["b", "c", "d", "a"]})
    task_score(task=cast.task, report=lambda done, total: None)
    lowest = {"1": "1.0000", "2": "0.5000", "10": "0.2500"}
    pages = {topic: page(cast.organiser, cast.task.url("scores_topic", topic=topic), measure="RR") for topic in topics}
    assert {topic: re.findall(r"lowest (\S+),", shown) for topic, shown in pages.items()} == {
        topic: [value] for topic, value in lowest.items()
    }
    links = {topic: re.findall(r'rel="(prev|next)" href="[^"]*topics/(\d+)/', shown) for topic, shown in pages.items()}
    assert links == {"1": [("next", "2")], "2": [("prev", "1"), ("next", "10")], "10": [("prev", "2")]}


@pytest.mark.django_db
def test_the_filter_of_runs_neither_reads_their_lines_nor_is_refused_as_one_of_too_many(
    scored: Cast, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches["bulk"].clear()
    settings.PICTURES_PER_MINUTE, client = 0, Client()
    client.force_login(scored.organiser)
    monkeypatch.setattr("evaluation.analysis.topics.views.judged_documents", None)
    url = scored.task.url("scores_topic", topic="1")
    for query in ({"search": "go"}, {"search": "go", "counts": "1"}):
        answer = client.get(url, query, headers={"HX-Request": "true", "HX-Target": "listed"})
        assert answer.status_code == 200
        assert 'id="listed"' in answer.content.decode()
    assert client.get(url, headers={"HX-Request": "true"}).status_code == 429, (
        "what waits for the counts reads all lines"
    )


@pytest.mark.django_db
def test_no_run_is_called_the_best_of_a_topic_where_several_are(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    for tag in ("first", "second"):
        make_valid_run(cast.task, cast.team, tag, {"1": ["a"]})
    task_score(task=cast.task, report=lambda done, total: None)
    shown = page(cast.organiser, cast.task.url("scores_topics"))
    assert "<td> 2 runs </td>" in " ".join(shown.split())
    data = json.loads(page(cast.organiser, cast.task.url("scores_topics_file", file_format="json")))
    assert (data["topics"][0]["best"], data["topics"][0]["best_runs"]) == (None, 2)


@pytest.mark.django_db
def test_the_files_of_topics_hold_the_numbers_of_the_page(scored: Cast) -> None:
    url = scored.task.url("scores_topics_file", file_format="json")
    data = json.loads(page(scored.organiser, url, measure="AP"))
    third = data["topics"][2]
    assert (third["topic"], third["high"], third["best"]) == ("3", 1.0, "poor")
    client = Client()
    client.force_login(scored.organiser)
    asked = {"measure": "AP", "topic": "3"}
    content = client.get(scored.task.url("scores_topics_file", file_format="csv"), asked).content.decode()
    values = {line["run"]: line["value"] for line in csv.DictReader(io.StringIO(content))}
    assert values == {"good": "0.5", "lame": "0.0", "poor": "1.0"}
    assert page(scored.organiser, scored.task.url("scores_topics_file", file_format="svg")).startswith("<svg")
