"""The page of variance components, and its files."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.evaluation.analysis.makers import make_scored_task, page, status
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

CELLS = (("standard_error", 4), ("relative", 3), ("absolute", 3))


@pytest.mark.django_db
def test_page_and_files_below_a_board_say_the_same(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    for user, name, number in ((cast.organiser, "scores", {}), (None, "leaderboard", {"number": 1})):
        shown = page(user, cast.task.url(f"{name}_components", **number), measure="RR")
        assert "Of the variance of RR, " in shown
        assert "is between the 3 runs" in shown
        assert "There are no intervals" in shown
        files = {
            ending: page(user, cast.task.url(f"{name}_components_file", file_format=ending, **number))
            for ending in ("csv", "json")
        }
        rows = json.loads(files["json"])["measures"]
        assert [row["measure"] for row in rows] == ["AP", "RR"]
        [[told]] = [[row["now"]["relative"] for row in rows if row["measure"] == "RR"]]
        assert f"With 3 topics E ρ² is {told:.3f}:" in shown
        assert f"RR,relative,3,{told}," in files["csv"]
        assert "In brackets" not in shown
        [following] = [row["next"] for row in rows if row["measure"] == "RR"]
        for one in following:
            cells = "".join(f' <td class="num">{one[quantity]:.{digits}f}</td>' for quantity, digits in CELLS)
            assert f'<th scope="row" class="num">{one["topics"]}</th>{cells}' in shown
        assert status(user, cast.task.url(f"{name}_components_file", file_format="pdf", **number)) == 404
    assert status(cast.member, cast.task.url("scores_components")) == 403
    assert "Variance components" in page(None, cast.task.url("leaderboard_detail", number=1))
    assert next(csv.reader(io.StringIO(files["csv"])))[:2] == ["measure", "quantity"]


@pytest.mark.django_db
def test_of_one_run_the_pages_of_components_and_assumptions_say_that_two_are_needed(
    cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "alone", {"1": ["a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    shown = page(cast.organiser, cast.task.url("scores_components"))
    assert "There is one run only" in shown
    assert "<table" not in shown
    assert "There is one run only: two are needed for a test." in page(
        cast.organiser, cast.task.url("scores_assumptions")
    )
