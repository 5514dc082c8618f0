import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from campaign.events import run_accepted
from campaign.models import Job, Run
from evaluation.models import Evaluation
from evaluation.selectors.boards import working_board
from evaluation.selectors.scores import scoring_job
from evaluation.selectors.task_measures import measures_problem
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from judging.events import qrels_released
from judging.models import Qrels
from pooling.models import Pool
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics

RANKING = {"1": ["a", "b", "c"], "2": ["x", "a"]}
GRADES = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"x": 0, "y": 1}, "3": {"z": 1}}


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    cast.task.measures = ["AP", "nDCG@10", "RR"]
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "one", RANKING)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    return cast


def test_every_topic_of_the_qrels_counts_and_a_missed_one_counts_zero(scored: Cast) -> None:
    evaluation = Evaluation.objects.get()
    assert evaluation.measures == ["AP", "nDCG@10", "RR"]
    np.testing.assert_allclose(evaluation.matrix()[0], [(1 + 2 / 3) / 2, 0, 0])
    assert evaluation.means["AP"] == pytest.approx((1 + 2 / 3) / 6)
    assert evaluation.topics_answered == 2


def test_scoring_again_changes_nothing(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    before = Evaluation.objects.values().get()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert Evaluation.objects.values().get() == before


def test_a_measure_added_to_the_task_scores_every_run_anew(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    scored.task.measures = ["AP", "P@10"]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert Evaluation.objects.get().measures == ["AP", "P@10"]


def test_an_accepted_run_is_scored_by_itself(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    run = make_valid_run(scored.task, scored.other_team, "two", {"3": ["z"]})
    with django_capture_on_commit_callbacks(execute=True):
        run_accepted.send(sender=Run, run=run)
    assert Evaluation.objects.get(run=run).means["AP"] == pytest.approx(1 / 3)


def test_released_qrels_score_all_runs_by_themselves(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    qrels = make_qrels(scored.task, {"1": {"b": 1}}, scored.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        qrels_released.send(sender=Qrels, qrels=qrels)
    assert Evaluation.objects.get(qrels=qrels).means["AP"] == pytest.approx(0.5)
    board = working_board(scored.task)
    assert board is not None
    assert board.qrels == qrels


def test_runs_that_are_not_valid_are_not_scored(scored: Cast, django_capture_on_commit_callbacks: Callable) -> None:
    run = make_valid_run(scored.task, scored.team, "gone", RANKING)
    Run.objects.filter(pk=run.pk).update(state=Run.WITHDRAWN)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert not Evaluation.objects.filter(run=run).exists()


def test_a_job_that_was_broken_off_goes_on_where_it_stopped(
    scored: Cast, django_capture_on_commit_callbacks: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tag in ("two", "three"):
        make_valid_run(scored.task, scored.other_team, tag, RANKING)
    first = Evaluation.objects.get().scored_at
    from evaluation.services import scoring

    whole, calls = scoring.evaluation_save, []

    def killed_after_one(**arguments: object) -> Evaluation:
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        return whole(**arguments)

    monkeypatch.setattr(scoring, "evaluation_save", killed_after_one)
    with pytest.raises(KeyboardInterrupt), django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert Evaluation.objects.count() == 2
    monkeypatch.setattr(scoring, "evaluation_save", whole)
    Job.objects.update(state=Job.FAILED)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert Evaluation.objects.count() == 3
    assert Evaluation.objects.get(run__tag="one").scored_at == first


def test_an_unknown_measure_fails_the_job_with_a_remedy(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    scored.task.measures = ["nDGC@10"]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    job = scoring_job(scored.task)
    assert job is not None
    assert job.state == Job.FAILED
    assert "nDGC@10" in job.message
    assert "nDCG" in job.message


def test_subtopic_measures_read_the_subtopic_judgments(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    cast.task.measures = ["AP", "alpha-nDCG@10"]
    cast.task.save()
    make_qrels(
        cast.task,
        {"1": {"a": 1, "b": 2}},
        cast.organiser,
        subtopic_grades={"1": {"1": {"a": 1, "b": 1}, "2": {"b": 1}}},
    )
    make_valid_run(cast.task, cast.team, "best", {"1": ["b", "a"]})
    make_valid_run(cast.task, cast.team, "worse", {"1": ["a", "b"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    means = {evaluation.run.tag: evaluation.means for evaluation in Evaluation.objects.select_related("run")}
    assert means["best"]["AP"] == means["worse"]["AP"] == 1
    assert means["best"]["alpha-nDCG@10"] == pytest.approx(1)
    assert means["worse"]["alpha-nDCG@10"] < 1


def test_the_best_case_of_subtopic_measures_is_the_mean_over_the_topics_of_the_mean(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    make_topics(cast.task, ["1", "2"])
    cast.task.measures = ["StRecall@1", "ERR-IA@1"]
    cast.task.save()
    qrels = make_qrels(
        cast.task, {"1": {"a": 1}, "2": {"a": 1}}, cast.organiser, subtopic_grades={"1": {"1": {"a": 1}}}
    )
    assert qrels.topics == ["1", "2"]
    make_valid_run(cast.task, cast.team, "judged", {"1": ["a"], "2": ["a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    [found] = Evaluation.objects.all()
    assert found.means == found.unjudged_best == {"StRecall@1": 0.5, "ERR-IA@1": found.means["ERR-IA@1"]}


def test_without_subtopic_judgments_subtopic_measures_are_left_out(
    cast: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    cast.task.measures = ["AP", "alpha-nDCG@10"]
    cast.task.save()
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    assert Evaluation.objects.get().measures == ["AP"]


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("micro_P", "cannot stand on a leaderboard"),
        ("Fallout(N=2)", "Correct the measures in the task's settings"),
    ],
)
def test_a_measure_that_the_task_cannot_have_is_answered_in_words(
    scored: Cast, django_capture_on_commit_callbacks: Callable, measure: str, said: str
) -> None:
    scored.task.measures = ["AP", measure]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    job = scoring_job(scored.task)
    assert job is not None
    assert job.state == Job.FAILED
    assert said in job.message


def test_measures_of_every_kind_are_scored_in_one_pass_of_the_task(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    scored.task.measures = [
        "num_rel_ret",
        "GMAP",
        "RBP(p=0.5)",
        "ERR(max_rel=3)@10",
        "SetP",
        "Compat",
        "infAP",
        "Rprec",
    ]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    evaluation = Evaluation.objects.get()
    assert list(evaluation.measures) == scored.task.measures
    assert evaluation.means["num_rel_ret"] == 2
    assert evaluation.means["GMAP"] == pytest.approx((5 / 6 * 1e-5 * 1e-5) ** (1 / 3))


def test_a_document_that_only_touches_the_topic_counts_for_no_binary_measure(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    """Grade 1 of the default scale is “related”: AP of topic 1 is 1 without it, and 5 / 6 with it."""
    scored.task.measures = ["AP", "nDCG@10", "AP(rel=1)", "ERR@10"]
    scored.task.lowest_relevant_grade = 2
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    evaluation = Evaluation.objects.get()
    assert evaluation.measures == ["AP(rel=2)", "nDCG@10", "AP", "ERR(max_rel=3)@10"]
    np.testing.assert_allclose(evaluation.matrix()[[0, 2], 0], [1, 5 / 6])
    assert evaluation.matrix()[3, 0] == pytest.approx(3 / 8 + (1 - 3 / 8) * (1 / 8) / 3)


def test_a_missed_topic_counts_the_worst_value_and_is_left_out_of_what_is_judged(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    scored.task.measures = ["FDR", "Judged@10"]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    evaluation = Evaluation.objects.get()
    np.testing.assert_allclose(evaluation.matrix(), [[1 / 3, 1, 1], [1, 0.5, np.nan]])
    assert evaluation.means == pytest.approx({"FDR": 7 / 9, "Judged@10": 0.75})
    assert evaluation.unjudged_at_10 == pytest.approx(0.05)
    leaderboard = leaderboard_publish(actor=scored.organiser, task=scored.task)
    client = Client()
    published = json.loads(client.get(scored.task.url("leaderboard_json", number=1)).getvalue())
    assert published["runs"][0]["values"]["Judged@10"][2] is None
    page = client.get(leaderboard.get_absolute_url()).content.decode()
    assert '0.7500 <span class="cell-topics">(2)</span>' in page
    assert "gets the measure&#x27;s worst value" in page
    assert "step-down max-T test, all pairs of runs" in page


def test_an_estimator_is_refused_where_the_recorded_sampling_does_not_fit_it(cast: Cast) -> None:
    cast.task.measures = ["infAP", "AP"]

    def problem(pool: Pool | None, unjudged: int = 3, policy: str = "latest") -> str:
        qrels = Qrels(task=cast.task, version=1, file="f", pool=pool, unjudged_count=unjudged, policy=policy)
        return measures_problem(cast.task, qrels)

    frozen: dict[str, Any] = {"pk": 0, "task": cast.task, "frozen_at": timezone.now()}
    first, by_rank = (Pool(**frozen, version=1, order=order) for order in ("random", "best_position"))
    second = Pool(**frozen, version=2)
    assert problem(first) == problem(second, unjudged=0) == ""
    assert "documents of earlier pools were judged before the others. Name bpref, or AP beside" in problem(second)
    assert "not judged in random order" in problem(by_rank)
    assert "on which assessors disagree have no grade" in problem(first, policy="strict-majority")
    assert "an imported file were chosen is not recorded" in problem(None)
