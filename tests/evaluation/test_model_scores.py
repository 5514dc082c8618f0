"""The page of a model assessor: agreement, order of runs, corrected scores; and nothing official that follows from grades."""

import random
import re
from collections.abc import Callable, Iterator
from uuid import uuid4

import numpy as np
import polars as pl
import pytest
from django.core.exceptions import ValidationError

from campaign.formats.qrels.table import write_qrels
from campaign.models import Role
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.model_scores import _tau, is_of_family, model_scores
from evaluation.selectors.task_measures import measures_of_task
from evaluation.services.scoring import Scorer
from judging.agreement.figures import coincidences, krippendorff_alpha, votes
from judging.desk.services.judgments import Act, judgments_record
from judging.judgments.selectors.own_documents import items
from judging.models import Assignment, Judgment, ModelAssessor, ModelJudgment, Qrels
from judging.progress.selectors.progress import progress_of
from judging.qrels.selectors.releases import latest_qrels, release_draft
from judging.qrels.services.releases import qrels_release
from judging.selectors.judged_documents import judgments_version, relevance_of
from pooling.core.strategies.spec import PoolSpec
from pooling.models import PoolEntry
from pooling.selectors.samples import drawable_docnos
from pooling.services.pools import pool_freeze
from tests.conftest import MadeOnce
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.judging.makers import assign, client_of, make_model_assessor, model_grades
from tests.places import REPOSITORY
from tests.pure_code import APPS, sources

TOPICS, DOCUMENTS, DRAWN = 6, 40, 12
DOCNOS = [f"d{number:02}" for number in range(DOCUMENTS)]


def truth(docno: str) -> int:
    return int(docno[1:]) % 3


def make_judged_task() -> tuple[Cast, ModelAssessor]:
    """Two runs, a random sample of their documents judged by people, and a model assessor that has graded nothing."""
    cast = make_cast(measures=["AP", "P@10"])
    topics = make_topics(cast.task, [str(number) for number in range(1, TOPICS + 1)])
    make_collection(cast.task, DOCNOS)
    make_valid_run(cast.task, cast.team, "one", {topic.number: DOCNOS for topic in topics})
    other = make_valid_run(cast.task, cast.other_team, "two", {topic.number: DOCNOS[::-1] for topic in topics})
    other.metadata = {"method": {"models": ["Llama 3"]}}
    other.save()
    spec = PoolSpec.with_defaults("random", {"size": DRAWN, "depth": DOCUMENTS})
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    for topic in topics:
        assignment = assign(pool, topic, cast.assessor, cast.organiser)
        drawn = PoolEntry.objects.filter(pool=pool, topic=topic).values_list("docno", flat=True)
        acts = [Act(uuid4(), docno, grade=truth(docno)) for docno in drawn]
        judgments_record(assessor=cast.assessor, assignment=assignment, acts=acts)
    model, _ = make_model_assessor(cast.task, cast.organiser, family="llama")
    return cast, model


def grade_all(cast: Cast, model: ModelAssessor, grade: Callable[[str], int]) -> None:
    for topic in cast.task.topics.all():
        model_grades(model, topic.number, {docno: grade(docno) for docno in DOCNOS})


def generous(docno: str) -> int:
    return min(truth(docno) + 1, 3)


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[tuple[Cast, ModelAssessor]]:
    with made_once(make_judged_task) as made:
        yield made


@pytest.fixture
def judged(made: tuple[Cast, ModelAssessor], db: None) -> tuple[Cast, ModelAssessor]:
    return made


@pytest.fixture
def sampled(judged: tuple[Cast, ModelAssessor]) -> tuple[Cast, ModelAssessor]:
    """The same with all documents graded by a generous model."""
    grade_all(*judged, generous)
    return judged


def test_the_corrected_score_is_near_that_of_people_and_the_models_own_is_not(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = sampled
    scores = model_scores(model)
    assert scores.why_no_board == ""
    lowest = cast.task.lowest_relevant_grade
    by_tag = {row.tag: row for row in scores.board}
    assert set(by_tag) == {"one", "two"}
    for tag, first in (("one", range(10)), ("two", range(30, 40))):
        by_people = np.mean([truth(f"d{number:02}") >= lowest for number in first])
        row = by_tag[tag]
        assert row.outside == 0
        assert abs(row.precision.mean - by_people) < 0.25
        assert row.precision.model > by_people + 0.2
        assert row.precision.low <= by_people <= row.precision.high


def test_agreement_is_that_of_people_and_the_model_on_the_documents_of_both(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    _, model = sampled
    found = model_scores(model).agreement
    assert found is not None
    judged = [truth(docno) for docno in Judgment.objects.values_list("docno", flat=True)]
    pairs = np.array([(grade, min(grade + 1, 3)) for grade in judged], dtype=float)
    assert found.documents == len(judged)
    assert found.alpha == pytest.approx(krippendorff_alpha(coincidences(votes(pairs, found.scale))))
    assert found.table.sum() == len(judged)
    assert found.table.trace() == 0


def test_a_run_is_of_the_family_that_its_metadata_names_as_a_word(sampled: tuple[Cast, ModelAssessor]) -> None:
    cast, model = sampled
    one, two = cast.task.runs.order_by("tag")
    assert [is_of_family(run, "LLAMA") for run in (one, two)] == [False, True]
    assert not is_of_family(two, "lla")
    assert not is_of_family(two, "")
    two.metadata = {"model": "हिन्दी-7B"}
    assert [is_of_family(two, name) for name in ("हिन्दी", "हिन्द")] == [True, False]  # the last sign is a mark
    assert [compared.shift is not None for compared in model_scores(model).runs_compared] == [True, True]


def test_tau_has_the_interval_of_the_values_by_topic_under_people_and_model(judged: tuple[Cast, ModelAssessor]) -> None:
    cast, model = judged
    grades = random.Random(4)
    by_model = {
        topic.number: {docno: grades.randint(0, 2) for docno in DOCNOS} for topic in cast.task.topics.order_by("pk")
    }
    orders = {f"more{run}": {number: grades.sample(DOCNOS, DOCUMENTS) for number in by_model} for run in range(4)}
    for tag, ranking in orders.items():
        make_valid_run(cast.task, cast.team, tag, ranking)
    for number, given in by_model.items():
        model_grades(model, number, given)
    orders |= {tag: dict.fromkeys(by_model, DOCNOS[::way]) for tag, way in (("one", 1), ("two", -1))}
    drawn = {number: set() for number in by_model}
    for number, docno in Judgment.objects.values_list("assignment__topic__number", "docno"):
        drawn[number].add(docno)
    values = np.zeros((2, len(orders), TOPICS))
    for run, tag in enumerate(sorted(orders)):
        for topic, number in enumerate(by_model):
            shown = [docno for docno in orders[tag][number] if docno in drawn[number]][:10]
            values[0, run, topic] = sum(truth(docno) >= cast.task.lowest_relevant_grade for docno in shown) / 10
            values[1, run, topic] = (
                sum(by_model[number][docno] >= cast.task.lowest_relevant_grade for docno in shown) / 10
            )
    [_, found] = model_scores(model).runs_compared
    assert found.measure == "P@10"
    assert found.tau_interval is not None
    assert found.tau_interval == pytest.approx(tau_interval(*values))
    low, high = found.tau_interval
    page = client_of(cast, "organiser").get(cast.task.url("model_scores", key=model.pk)).content.decode()
    assert f"({low:.3f} to {high:.3f})" in page


def test_the_shift_of_a_measure_of_which_less_is_better_points_the_same_way(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = sampled
    cast.task.measures = ["P@10", "FDR@10"]
    cast.task.save()
    right, wrong = model_scores(ModelAssessor.objects.get(pk=model.pk)).runs_compared
    assert right.shift is not None
    assert right.shift.shift != 0
    assert wrong.shift is not None
    assert (wrong.shift.shift, wrong.shift.ranks, wrong.tau) == pytest.approx(
        (right.shift.shift, right.shift.ranks, right.tau), nan_ok=True
    )


def test_a_model_that_grades_all_documents_one_step_too_high_shifts_scores_and_favours_no_family(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = sampled
    found = model_scores(model)
    assert any(compared.shift and compared.shift.shift != 0 for compared in found.runs_compared)
    assert found.preference is not None
    assert found.preference.steps == 0
    page = client_of(cast, "organiser").get(cast.task.url("model_scores", key=model.pk)).content.decode()
    assert "A number above 0 has three possible causes." in " ".join(page.split())


def test_a_sample_that_people_have_not_finished_gives_no_score_and_says_what_is_missing(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = sampled
    pool = cast.task.pools.get()
    found = drawable_docnos(pool, "1")
    assert len(found) == DOCUMENTS
    topic = cast.task.topics.create(number="99", position=99, title="late")
    PoolEntry.objects.create(
        pool=pool,
        topic=topic,
        docno="d00",
        position=1,
        best_position=1,
        run_count=1,
        stratum=1,
        inclusion_probability=1,
    )
    model_grades(model, "1", {"d00": 0})
    assert "People have not judged 1 of" in model_scores(model).why_no_board


def official(cast: Cast) -> tuple[object, ...]:
    """Everything that people's judgments decide: qrels, scores, what growing pools choose and stop by, what assessors get."""
    task, pool = cast.task, cast.task.pools.get()
    draft, qrels = release_draft(pool, "latest"), latest_qrels(task)
    assert qrels is not None
    scored = Scorer(qrels, measures_of_task(task, qrels), task.ordering).scores(list(task.runs.order_by("pk")))
    return (
        write_qrels(draft.table.with_columns(subtopic=pl.lit("0"))),
        draft.drawn and draft.drawn.documents.rows(),
        [(run.tag, one.values.tobytes(), one.means) for run, one in scored],
        judgments_version(task),
        [relevance_of(pool, topic) for topic in task.topics.all()],
        [items(assignment) for assignment in Assignment.objects.order_by("pk")],
        [(one.judged, one.total) for one in progress_of(Assignment.objects.order_by("pk"))],
    )


def test_nothing_official_changes_with_model_grades_scrambled_or_without_any(
    judged: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = judged
    pool = cast.task.pools.get()
    qrels_release(actor=cast.organiser, task=cast.task, pool=pool)
    without = official(cast)
    grade_all(cast, model, generous)
    assert official(cast) == without
    dice = random.Random(4)
    grade_all(cast, model, lambda _: dice.randrange(4))
    other, _ = make_model_assessor(cast.task, cast.organiser, version="2")
    model_grades(other, "1", {"d00": 3, "d01": None})
    assert official(cast) == without
    with pytest.raises(ValidationError, match="the same qrels"):
        qrels_release(actor=cast.organiser, task=cast.task, pool=pool)


def test_model_grades_are_read_in_few_places_and_none_of_them_judges_pools_or_releases() -> None:
    reading = {
        path.relative_to(REPOSITORY).as_posix()
        for path in sources(*APPS)
        if re.search(r"ModelJudgment|ModelAssessor|model_assessors|model_table", path.read_text(encoding="utf-8"))
    }
    assert reading == {
        "runpool/api.py",
        "runpool/management/commands/shorten_lifetimes.py",
        "judging/api/model_assessors.py",
        "judging/api/organising_models.py",
        "runpool/archive/tables/judging.py",
        "judging/model_assessors/exports.py",
        "judging/forms.py",
        "judging/models/__init__.py",
        "judging/models/model_assessor.py",
        "judging/permissions.py",
        "judging/model_assessors/selectors.py",
        "judging/model_assessors/services.py",
        "judging/urls.py",
        "judging/model_assessors/views.py",
        "judging/judgments/services.py",  # its functions are told which of the two tables they write
        "evaluation/model_scores.py",
        "evaluation/selectors/scores.py",
    }


def test_no_table_of_judgments_or_qrels_refers_to_model_grades() -> None:
    apart = {ModelAssessor, ModelJudgment}
    for kept in (Judgment, Qrels):
        assert not {field.related_model for field in kept._meta.get_fields()} & apart
    assert not {field.related_model for field in ModelJudgment._meta.get_fields()} & {Judgment, Qrels}


def test_the_page_labels_every_number_and_is_hidden_from_organisers_who_judge(
    sampled: tuple[Cast, ModelAssessor],
) -> None:
    cast, model = sampled
    address = cast.task.url("model_scores", key=model.pk)
    client = client_of(cast, "organiser")
    page = client.get(address).content.decode()
    for words in ("Model grades of", "private to organisers; no qrels", "corrected (model)", "model only", "alpha"):
        assert words in page
    pool, topic = cast.task.pools.get(), cast.task.topics.first()
    assign(pool, topic, cast.organiser, cast.organiser, pass_number=2)
    assert Role.objects.filter(user=cast.organiser, role=Role.ASSESSOR).exists()
    refused = client.get(address)
    assert refused.status_code == 403
    assert "hidden from you" in refused.content.decode()
    assert client.get(cast.task.url("model_grades", key=model.pk)).status_code == 403


def test_the_file_says_in_its_name_and_first_line_that_it_is_no_qrels(sampled: tuple[Cast, ModelAssessor]) -> None:
    cast, model = sampled
    response = client_of(cast, "organiser").get(cast.task.url("model_grades", key=model.pk))
    assert "model-grades-of-grader-v1.txt" in response["Content-Disposition"]
    head, *lines = response.content.decode().splitlines()
    assert head == "# Model grades of grader v1: no judgments of people, and no version of the qrels"
    rows = pl.DataFrame([line.split() for line in lines if not line.startswith("#")], orient="row")
    assert rows.height == TOPICS * DOCUMENTS
    assert Qrels.objects.count() == 0


def test_the_order_of_runs_of_equal_means_is_none_whatever_the_order_of_their_topics() -> None:
    people = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]])
    assert people[0].mean() != people[1].mean(), "they differ in the last digit"
    assert _tau(people, people[[1, 0, 2]]) == pytest.approx(1.0)
