"""A sampled pool all the way: frozen, judged, released, scored here and, from the downloaded file, by the command."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaign.models import Import, Job
from evaluation.command.main import main
from evaluation.engine.judgments import Judgments
from evaluation.engine.scoring import score_run
from evaluation.models import Evaluation
from evaluation.selectors.boards import scored_runs
from evaluation.selectors.scores import scoring_job
from evaluation.selectors.task_measures import board_cautions, measures_left_out, measures_problem
from evaluation.services.scoring import scores_request
from judging.desk.services.judgments import Act, judgments_record
from judging.models import Qrels
from judging.qrels.services.releases import qrels_release
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolEntry
from pooling.services.pools import pool_freeze
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_task, make_topics, run_lines
from tests.judging.makers import assign, client_of
from tests.pooling.test_pool_pages import words

TOPICS = ["1", "2", "3"]
DOCNOS = [f"d{number:02}" for number in range(40)]
RATES = {"rates": [[5, 1.0], [10, 0.5], [40, 0.25]]}
STRATA = ["xinfAP", "infNDCG(gain=linear)", "infP@10"]
PROBABILITIES = ["statAP", "statRprec", "statP@10"]


def rankings() -> Iterator[tuple[str, dict[str, list[str]]]]:
    for tag in ("one", "two"):
        yield tag, {topic: random.Random(f"{tag} {topic}").sample(DOCNOS, 30) for topic in TOPICS}


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    cast.task.lowest_relevant_grade = 2
    cast.task.save()
    prepare(cast)
    return cast


def prepare(cast: Cast) -> None:
    make_topics(cast.task, TOPICS)
    make_collection(cast.task, DOCNOS)
    for tag, ranking in rankings():
        make_valid_run(cast.task, cast.team, tag, ranking)


def freeze_and_judge(cast: Cast, spec: PoolSpec, leave: int = 0) -> Pool:
    """Grades depend on topic and docno alone; of each topic the last `leave` documents are not judged."""
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    judge_all(cast, pool, leave)
    return pool


def judge_all(cast: Cast, pool: Pool, leave: int = 0) -> None:
    for topic in cast.task.topics.all():
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        docnos = list(PoolEntry.objects.filter(pool=pool, topic=topic).values_list("docno", flat=True))
        acts = [
            Act(uuid4(), docno, grade=random.Random(f"{topic.number} {docno}").choice([0, 0, 1, 2, 3]))
            for docno in docnos[: len(docnos) - leave]
        ]
        outcomes = judgments_record(assessor=cast.assessor, assignment=assignment, acts=acts)
        assert all(outcome.judgment for outcome in outcomes)


def set_measures(cast: Cast, *names: str) -> None:
    cast.task.measures = list(names)
    cast.task.save()


@pytest.mark.parametrize(
    ("strategy", "parameters", "measures"),
    [("stratified", RATES, STRATA), ("statap", {"size": 15}, PROBABILITIES)],
)
def test_the_board_and_the_command_on_the_downloaded_sample_give_the_same_values(
    with_runs: Cast,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    django_capture_on_commit_callbacks: Callable,
    strategy: str,
    parameters: dict,
    measures: list[str],
) -> None:
    set_measures(with_runs, *measures, "AP")
    pool = freeze_and_judge(with_runs, PoolSpec.with_defaults(strategy, parameters))
    with django_capture_on_commit_callbacks(execute=True):
        qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    client = client_of(with_runs, "organiser")
    download = client.get(with_runs.task.url("sample_qrels_download", version=qrels.version))
    file = tmp_path / "sample.txt"
    file.write_bytes(b"".join(download.streaming_content))
    for tag, ranking in rankings():
        run = tmp_path / f"{tag}.txt"
        run.write_bytes(run_lines(ranking, tag))
        evaluation = Evaluation.objects.get(run__tag=tag)
        assert len(evaluation.measures) == len(measures) + 1
        named = [argument for name in evaluation.measures[:-1] for argument in ("-m", name)]
        capfd.readouterr()
        assert main(["score", "-q", *named, str(file), str(run)]) == 0
        printed = {tuple(line.split()[:2]): line.split()[2] for line in capfd.readouterr().out.splitlines()}
        for row, name in enumerate(evaluation.measures[:-1]):
            for column, topic in enumerate(TOPICS):
                value = evaluation.matrix()[row, column]
                assert f"{value:.4f}" == printed[name, topic]
                assert value > 0
    board = scored_runs(with_runs.task)
    assert board is not None
    assert board.measures == evaluation.measures
    as_whole, few = board_cautions(qrels, board.measures)
    assert as_whole.startswith("AP(rel=2): the pool is a sample")
    biased = [name for name in board.measures if name.startswith(("xinfAP", "infNDCG", "statAP", "statRprec"))]
    assert few.startswith(f"{', '.join(biased)}: too high on average in topics with few relevant documents")
    assert "By the sample, 3 of 3 topics have fewer than 20." in few
    page = words(client.get(with_runs.task.url("score_board")))
    assert "By the sample, 3 of 3 topics have fewer than 20." in page
    builder = client.get(with_runs.task.url("pool_create"), {"strategy": strategy})
    assert "too high on average in topics with few relevant documents" in words(builder)


@pytest.mark.parametrize(
    ("strategy", "parameters", "measures"),
    [("stratified", RATES, STRATA), ("statap", {"size": 15}, PROBABILITIES)],
)
def test_a_sample_that_is_taken_to_another_task_is_judged_released_and_scored_alike(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable, strategy: str, parameters: dict, measures: list[str]
) -> None:
    first, second = with_runs, replace(with_runs, task=make_task(with_runs.campaign, lowest_relevant_grade=2))
    prepare(second)
    for cast in (first, second):
        set_measures(cast, *measures)
    pool = pool_freeze(actor=first.organiser, task=first.task, spec=PoolSpec.with_defaults(strategy, parameters))
    client = client_of(first, "organiser")
    file = SimpleUploadedFile("sample.txt", client.get(first.task.url("pool_sample", version=1)).content)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(second.task.url("pool_import"), {"file": file})
    with django_capture_on_commit_callbacks(execute=True):
        client.post(second.task.url("pool_import_confirm", import_id=Import.objects.get().pk))
    imported = Pool.objects.get(task=second.task)
    assert imported.sha256 == pool.sha256
    matrices = []
    for cast, held in ((first, pool), (second, imported)):
        judge_all(cast, held)
        with django_capture_on_commit_callbacks(execute=True):
            qrels_release(actor=cast.organiser, task=cast.task, pool=held)
        scored = Evaluation.objects.filter(run__task=cast.task).order_by("run__tag")
        matrices.append([(evaluation.measures, evaluation.matrix().tolist()) for evaluation in scored])
    assert [len(names) for names, _ in matrices[0]] == [len(measures)] * 2
    assert matrices[0] == matrices[1]


def test_infap_is_refused_for_a_sampled_pool_even_if_all_of_it_is_judged(with_runs: Cast) -> None:
    set_measures(with_runs, "infAP")
    pool = freeze_and_judge(with_runs, PoolSpec.with_defaults("stratified", RATES))
    qrels = qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    problem = measures_problem(with_runs.task, qrels)
    assert "the pool itself is a sample" in problem
    assert problem.endswith("Name xinfAP in the task's settings.")


def test_estimators_are_left_out_where_the_release_holds_no_sample_and_the_board_says_so(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    set_measures(with_runs, "AP", "xinfAP", "infNDCG", "statAP")
    qrels = make_qrels(with_runs.task, {"1": {"d00": 2}}, with_runs.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=with_runs.organiser, task=with_runs.task)
    assert Evaluation.objects.first().measures == ["AP(rel=2)"]
    assert measures_left_out(with_runs.task, qrels) == [
        "xinfAP(rel=2), infNDCG: not on this board, since qrels v1 has no judgments of a sample by strata.",
        "statAP(rel=2): not on this board, since qrels v1 has no judgments of a sample with probabilities.",
    ]
    page = client_of(with_runs, "organiser").get(with_runs.task.url("score_board")).content.decode()
    assert "not on this board, since qrels v1 has no judgments of a sample by strata" in page
    set_measures(with_runs, "xinfAP")
    problem = measures_problem(with_runs.task, qrels)
    assert problem.startswith("All measures of the task need judgments of a sample by strata, and qrels v1 has none.")


def test_strata_judged_in_part_are_scored_and_topics_left_out_of_the_scores_stay_out(
    with_runs: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    set_measures(with_runs, "xinfAP", "P@5")
    make_valid_run(with_runs.task, with_runs.team, "empty", {"2": ["d00"]})
    pool = freeze_and_judge(with_runs, PoolSpec.with_defaults("stratified", RATES), leave=1)
    with django_capture_on_commit_callbacks(execute=True):
        qrels_release(actor=with_runs.organiser, task=with_runs.task, pool=pool)
    assert scoring_job(with_runs.task).state == Job.DONE
    assert Qrels.objects.get().sampled_by == "stratum"
    assert {evaluation.matrix().shape for evaluation in Evaluation.objects.all()} == {(2, 3)}


def test_a_drawn_document_without_a_grade_lowers_totals_and_moves_ratios_either_way() -> None:
    """Relevant documents at ranks 1 and 4 of four, each drawn with probability 1/2."""

    def values(*grades: int) -> list[float]:
        table = {
            "topic": "1",
            "subtopic": "0",
            "docno": list("abcd"),
            "grade": grades,
            "probability": [0.5, 1.0, 1.0, 0.5],
        }
        run = pl.DataFrame({"topic": "1", "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
        scores = score_run(run, Judgments.from_table(pl.DataFrame(table)), ["statP@4", "statAP"])
        return [float(value) for value in scores.values[:, 0]]

    assert values(1, 0, 0, 1) == [1.0, 0.875]
    assert values(1, 0, 0, -1) == [0.5, 1.0]
    assert values(-1, 0, 0, 1) == [0.5, 0.25]
