"""Curves of the runs of a board: kept with the scores, shown on pages and in files."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.test import Client

from campaign.collection.counts import count_anew
from campaign.models import Document, Task
from evaluation.models import Evaluation, WorkingBoard
from evaluation.selectors.board_views import working_view
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request, task_score
from evaluation.services.working_boards import working_board_compute
from tests.evaluation.analysis.makers import GRADES, RUNS, make_scored_task, page, status
from tests.evaluation.makers import make_valid_run, rewrite_evaluation
from tests.factories import Cast, make_collection

DOCNOS = ["a", "b", "c", "q", "x", "y", "z", "w"]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., Any]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


def lines(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content)))


def answer(cast: Cast, name: str, file_format: str, **kwargs: Any) -> Any:
    url = cast.task.url(name, file_format=file_format, **kwargs)
    return json.loads(page(cast.organiser, url)) if file_format == "json" else page(cast.organiser, url)


def table_of(cast: Cast, name: str, **kwargs: Any) -> str:
    client = Client()
    client.force_login(cast.organiser)
    content: str = client.get(cast.task.url(name, file_format="csv", **kwargs)).content.decode()
    return content


def plain_curve(tag: str) -> list[float]:
    """Mean over topics of the interpolated precision at 11 recall levels; no topic has more than two relevant documents."""
    curve = [0.0] * 11
    for topic, grades in GRADES.items():
        wanted = [docno for docno, grade in grades.items() if grade > 0]
        points = []
        for rank, docno in enumerate(RUNS[tag].get(topic, []), 1):
            if docno in wanted:
                points.append((len(points) + 1, (len(points) + 1) / rank))
        for tenth in range(11):
            needed = (tenth * len(wanted) + 9) // 10
            curve[tenth] += max((precision for found, precision in points if found >= needed), default=0.0) / len(
                GRADES
            )
    return curve


@pytest.mark.django_db
def test_the_curves_of_all_runs_are_those_that_counting_by_hand_gives(scored: Cast) -> None:
    data = answer(scored, "scores_curves_file", "json")
    assert data["runs"] == ["good", "lame", "poor"]
    assert data["settings"] == {"topics": 3, "level": 1, "gain": "linear", "collection_size": None}
    for tag, curve in zip(data["runs"], data["curves"]["macro"]["y"], strict=True):
        assert curve == pytest.approx(plain_curve(tag))
    of_good = data["curves"]["gain"]["y"][0]
    assert of_good[:3] == pytest.approx([(2 + 1 + 0) / 3, (3 + 1 + 1) / 3, 5 / 3])
    assert data["curves"]["gain"]["ideal"][:2] == pytest.approx([4 / 3, 5 / 3])
    micro = data["curves"]["micro"]["y"][
        0
    ]  # 2 of 3 at rank 1, 4 of 5 at rank 2; the topics have four relevant documents
    assert micro == pytest.approx([0.8] * 11)
    assert "roc" not in data["curves"]


@pytest.mark.django_db
def test_the_page_shows_the_best_runs_and_those_that_its_address_names(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    url = scored.task.url("leaderboard_curves", number=1)
    shown = page(None, url)
    assert "Recall and precision, macro of good, poor, lame; the table below has the same numbers" in shown
    assert "Runs: 3 of 3" in shown
    only = page(None, url, kind="gain", run="poor")
    assert "Cumulated gain of poor; the table below" in only
    assert 'scope="col" class="num">Ideal' in only
    assert "relevant from grade" not in only
    assert "Recall and precision, macro of good, poor, lame" in page(None, url, kind="roc", run="nobody")
    picture = page(
        None, scored.task.url("leaderboard_curves_file", number=1, file_format="svg"), kind="micro", run="poor"
    )
    assert picture.startswith("<svg")
    assert "recall: 0: " in picture


@pytest.mark.django_db
def test_more_runs_than_a_picture_tells_apart_are_left_out_and_it_says_so(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    tags = [f"more{number}" for number in range(7)]
    for tag in tags:
        make_valid_run(scored.task, scored.team, tag, {"1": ["b"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    url = scored.task.url("scores_curves")
    assert "Runs: 5 of 10" in page(scored.organiser, url)
    query = "&".join(f"run={tag}" for tag in ["good", "poor", *tags])
    shown = page(scored.organiser, f"{url}?{query}")
    assert "Runs: 8 of 10" in shown
    assert "1 run left out" in shown
    csv_lines = lines(table_of(scored, "scores_curves_file"))
    assert {line["run"] for line in csv_lines if line["curve"] == "macro"} == {"good", "poor", "lame", *tags}


@pytest.mark.django_db
def test_a_run_has_its_curve_among_those_of_all(scored: Cast) -> None:
    shown = page(scored.organiser, scored.task.url("scores_run", tag="poor"))
    assert "Precision of poor at 11 recall levels among all runs; the table below has the same numbers" in shown
    assert "Its other curves" in shown
    points = answer(scored, "scores_run_curve_file", "json", tag="poor")["points"]
    field = list(zip(*(plain_curve(tag) for tag in RUNS), strict=True))
    assert [point["recall"] for point in points] == [tenth / 10 for tenth in range(11)]
    assert [point["precision"] for point in points] == pytest.approx(plain_curve("poor"))
    assert [point["median"] for point in points] == pytest.approx([sorted(level)[1] for level in field])
    assert [point["low"] for point in points] == pytest.approx([min(level) for level in field])
    assert [point["high"] for point in points] == pytest.approx([max(level) for level in field])
    rows = lines(table_of(scored, "scores_run_curve_file", tag="poor"))
    assert [float(row["precision"]) for row in rows] == pytest.approx(plain_curve("poor"))
    for file_format in ("svg", "pdf", "png"):
        assert (
            status(scored.organiser, scored.task.url("scores_run_curve_file", tag="poor", file_format=file_format))
            == 200
        )
    assert status(scored.organiser, scored.task.url("scores_run_curve_file", tag="nobody", file_format="csv")) == 404


@pytest.mark.django_db
def test_where_the_collection_is_known_there_is_a_roc_curve_and_a_larger_collection_makes_it_anew(scored: Cast) -> None:
    collection = make_collection(scored.task, DOCNOS)
    Task.objects.filter(pk=scored.task.pk).update(docno_policy=Task.KNOWN)
    task = Task.objects.get(pk=scored.task.pk)
    task_score(task=task, report=lambda done, total: None)
    data = answer(scored, "scores_curves_file", "json")
    assert data["settings"]["collection_size"] == 8
    good = data["curves"]["roc"]["area"][0]
    # Topic 1: both before all others; 2: the same; 3: one other document before the one of eight.
    assert good == pytest.approx((1 + 1 + 6 / 7) / 3)
    assert "8 documents in the collection" in page(scored.organiser, scored.task.url("scores_curves"), kind="roc")

    Document.objects.bulk_create(Document(collection=collection, docno=f"new{place}") for place in range(2))
    count_anew(collection.pk)
    task = Task.objects.get(pk=scored.task.pk)
    task_score(task=task, report=lambda done, total: None)
    data = answer(scored, "scores_curves_file", "json")
    assert data["settings"]["collection_size"] == 10
    assert data["curves"]["roc"]["area"][0] == pytest.approx((1 + 1 + 8 / 9) / 3)


@pytest.mark.django_db
def test_runs_that_were_not_all_scored_by_the_same_grades_get_curves_with_the_next_scoring(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    other = Evaluation.objects.get(run__tag="good")
    settings = {**other.curves["settings"], "level": 2}
    rewrite_evaluation(other, curves={**other.curves, "settings": settings})
    WorkingBoard.objects.all().delete()
    working_board_compute(task=scored.task)
    shown = page(scored.organiser, scored.task.url("scores_curves"))
    assert "This board holds no curves" in shown
    assert "Score the runs again" in shown
    assert "holds no curves" in page(scored.organiser, scored.task.url("scores_run", tag="good"))
    assert status(scored.organiser, scored.task.url("scores_curves_file", file_format="csv")) == 404
    assert status(scored.organiser, scored.task.url("scores_run_curve_file", tag="good", file_format="svg")) == 404

    client = Client()
    client.force_login(scored.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(scored.task.url("score_all")).status_code == 302
    seen = working_view(scored.organiser, scored.task)
    assert seen is not None
    assert seen.board.curves is not None
    assert "Runs: 3 of 3" in page(scored.organiser, scored.task.url("scores_curves"))


@pytest.mark.django_db
def test_another_lowest_relevant_grade_makes_the_curves_anew_though_the_measures_stay(scored: Cast) -> None:
    Task.objects.filter(pk=scored.task.pk).update(measures=["nDCG"])
    task = Task.objects.get(pk=scored.task.pk)
    task_score(task=task, report=lambda done, total: None)
    before = answer(scored, "scores_curves_file", "json")
    Task.objects.filter(pk=task.pk).update(lowest_relevant_grade=2)
    task_score(task=Task.objects.get(pk=task.pk), report=lambda done, total: None)
    after = answer(scored, "scores_curves_file", "json")
    assert (before["settings"]["level"], after["settings"]["level"]) == (1, 2)
    assert after["curves"]["macro"] != before["curves"]["macro"]


def test_a_reader_has_so_many_pictures_drawn_in_a_minute_and_kept_ones_without_end(scored: Cast, settings: Any) -> None:
    cache.clear()
    caches["bulk"].clear()
    settings.PICTURES_PER_MINUTE, client = 2, Client()
    client.force_login(scored.organiser)
    addresses = [
        scored.task.url("scores_curves_file", file_format="svg"),
        scored.task.url("scores_picture", measure="AP"),
        scored.task.url("scores_curves_file", file_format="png"),
        f"{scored.task.url('scores_topic', topic='1')}?counts",
    ]
    answers = [client.get(address) for address in [*addresses, *addresses]]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429] * 2
    assert int(answers[2]["Retry-After"]) > 0
    assert answers[2]["Cache-Control"] == "private, no-store"
