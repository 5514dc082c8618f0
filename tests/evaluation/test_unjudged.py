"""The share of first documents that nobody has judged, beside each run in the organisers' list."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaign.models import Job, Run
from evaluation.models import Evaluation
from evaluation.selectors.scores import unjudged_shares
from evaluation.services.scoring import scores_request
from runpool.api import api
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_topics, make_user

GRADES = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"x": 0}}
TEN = [f"d{number}" for number in range(10)]


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable) -> Cast:
    make_topics(cast.task, ["1", "2"])
    cast.task.measures = ["AP"]
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "known", {"1": ["a", "b"], "2": ["x"]})
    make_valid_run(cast.task, cast.team, "half", {"1": ["a", "c", "new"], "2": ["x"]})
    make_valid_run(cast.task, cast.other_team, "deep", {"1": TEN, "2": [*TEN, "x"]})
    make_valid_run(cast.task, cast.other_team, "misses", {"2": ["y"]})
    score(cast, django_capture_on_commit_callbacks)
    return cast


def score(cast: Cast, capture: Callable) -> None:
    with capture(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)


def shares(cast: Cast) -> dict[str, float]:
    found = unjudged_shares(cast.task)
    return {run.tag: found[run.pk].share for run in Run.objects.filter(pk__in=found)}


def fragment(cast: Cast, *runs: Run) -> str:
    client = Client(headers={"HX-Request": "true"})
    client.force_login(cast.organiser)
    asked = "&".join(f"run={run.pk}" for run in runs or Run.objects.all())
    return client.get(f"{cast.task.url('runs_unjudged')}?{asked}").content.decode()


def cells(html: str) -> dict[int, str]:
    found = re.findall(r'<span hx-swap-oob="innerHTML:#unjudged-(\d+)">(.*?)</span>', html)
    return {int(pk): re.sub("<[^>]+>", "", said) for pk, said in found}


def test_a_document_without_a_judgment_counts_and_a_place_without_a_document_does_not(scored: Cast) -> None:
    assert shares(scored) == pytest.approx({"known": 0, "half": 2 / 10 / 2, "deep": 1, "misses": 1 / 10})


def test_a_board_says_that_ranks_without_a_document_count_as_judged(scored: Cast) -> None:
    client = Client()
    client.force_login(scored.organiser)
    board = client.get(scored.task.url("score_board")).content.decode()
    row = board[board.index(">misses</a>") :].partition("</tr>")[0]
    assert "90.0 %" in row, "its one document is unjudged, and nine ranks are empty"
    assert "A rank at which the run has no document counts as judged" in board
    described = api.get_openapi_schema()["components"]["schemas"]["BoardRowOut"]["properties"]["unjudged_at_10"]
    assert "ranks without a document count as judged" in described["description"]


def test_the_list_of_runs_gets_its_cells_at_once(scored: Cast) -> None:
    runs = {run.tag: run.pk for run in Run.objects.all()}
    assert cells(fragment(scored)) == {
        runs["known"]: "0.0 %", runs["half"]: "10.0 %", runs["deep"]: "100.0 %", runs["misses"]: "10.0 % (1 of 2 topics)",
    }  # fmt: skip
    assert list(cells(fragment(scored, Run.objects.get(tag="half")))) == [runs["half"]]


def test_the_newest_qrels_are_what_counts(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    make_qrels(scored.task, {"2": {"y": 1}}, scored.organiser)
    assert unjudged_shares(scored.task) == {}
    score(scored, django_capture_on_commit_callbacks)
    assert shares(scored)["misses"] == 0
    assert shares(scored)["known"] == pytest.approx(0.1)


def test_measures_on_the_board_stay_those_that_the_task_names(scored: Cast) -> None:
    assert {tuple(measures) for measures in Evaluation.objects.values_list("measures", flat=True)} == {("AP",)}
    assert all(evaluation.matrix().shape == (1, 2) for evaluation in Evaluation.objects.all())


def test_a_task_that_names_the_measure_itself_gets_the_same_number(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    before = shares(scored)
    scored.task.measures = ["unj@10", "AP"]
    scored.task.save()
    score(scored, django_capture_on_commit_callbacks)
    assert shares(scored) == before
    for evaluation in Evaluation.objects.all():
        assert evaluation.means["unj@10"] == pytest.approx(evaluation.unjudged_at_10)


def test_a_run_that_is_not_scored_yet_is_asked_for_again_while_the_scoring_goes_on(scored: Cast) -> None:
    run = make_valid_run(scored.task, scored.team, "late", {"1": ["a"]})
    assert cells(fragment(scored))[run.pk] == "not scored"
    scores_request(actor=scored.organiser, task=scored.task)
    waiting = fragment(scored)
    assert run.pk not in cells(waiting)
    assert f'?run={run.pk}" hx-trigger="load delay:3s"' in waiting
    Job.objects.update(state=Job.FAILED, message="There is no measure nDGC@10.")
    assert "There is no measure nDGC@10." in fragment(scored)


def test_the_organisers_list_has_the_column_once_there_are_qrels(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    run = make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    client = Client()
    client.force_login(cast.organiser)
    assert "Unjudged@10" not in client.get(cast.task.url("run_list")).content.decode()
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    page = client.get(cast.task.url("run_list")).content.decode()
    assert "Unjudged@10" in page
    assert f'id="unjudged-{run.pk}"' in page
    assert f'hx-get="{cast.task.url("runs_unjudged")}?run={run.pk}"' in page
    client.force_login(cast.member)
    assert "njudged@10" not in client.get(cast.task.url("run_list")).content.decode()


def test_nobody_but_organisers_learns_what_is_unjudged(scored: Cast) -> None:
    for user in (scored.member, scored.other_member, scored.assessor, make_user()):
        client = Client(headers={"HX-Request": "true"})
        client.force_login(user)
        answer = client.get(scored.task.url("runs_unjudged"))
        assert answer.status_code == 403
        assert "100.0" not in answer.content.decode()


def test_runs_of_other_tasks_have_no_cells_here(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    other = make_cast()
    elsewhere = make_valid_run(other.task, other.team, "elsewhere", {"1": ["a"]})
    make_qrels(other.task, {"1": {"b": 1}}, other.organiser)
    score(other, django_capture_on_commit_callbacks)
    assert cells(fragment(scored, elsewhere)).get(elsewhere.pk) in (None, "not scored")


def test_the_page_without_script_lists_all_valid_runs_the_least_judged_first(scored: Cast) -> None:
    make_valid_run(scored.task, scored.team, "late", {"1": ["a"]})
    client = Client()
    client.force_login(scored.organiser)
    answer = client.get(scored.task.url("runs_unjudged"))
    assert [(run.tag, share) for run, share in answer.context["rows"]] == [
        ("late", "not scored"), ("deep", "100.0 %"), ("half", "10.0 %"), ("misses", "10.0 % (1 of 2 topics)"), ("known", "0.0 %"),
    ]  # fmt: skip
    assert "qrels v1" in answer.content.decode()


def test_more_runs_take_no_more_queries(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    fragment(scored)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            fragment(scored)
        return len(captured)

    few = queries()
    for number in range(20):
        make_valid_run(scored.task, scored.team, f"more{number}", {"1": ["a"]})
    score(scored, django_capture_on_commit_callbacks)
    assert queries() == few
