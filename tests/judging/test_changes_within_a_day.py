"""What replaces a stored judgment, comparison or grade has a limit within a day, which holds up nothing else."""

from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.models import Import
from judging.desk.services import judgments
from judging.desk.services.judgments import Act, judgments_record
from judging.model_assessors import services as model_assessors
from judging.model_assessors.services import ModelGrade, model_grades_record
from judging.models import Judgment, PreferenceAct
from judging.preferences import services as preferences
from judging.preferences.selectors import standing_of
from judging.preferences.services import Answered, preferences_record
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection, make_topics
from tests.judging.judgment_imports.test_judgment_imports import lines, row, send
from tests.judging.makers import PROMPT, judge, make_assignment, make_model_assessor
from tests.judging.preferences.makers import make_comparison

pytestmark = pytest.mark.django_db
REACHED = "the limit of 1 {} within a day is reached. Do it again tomorrow."


@pytest.fixture(autouse=True)
def one_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(judgments, "MOST_JUDGED_AGAIN_A_DAY", 1)
    monkeypatch.setattr(preferences, "MOST_COMPARED_AGAIN_A_DAY", 1)
    monkeypatch.setattr(model_assessors, "MOST_GRADED_AGAIN_A_DAY", 1)


def reasons(refusals: list[ValidationError | str | None]) -> list[str]:
    return [" ".join(one.messages) if isinstance(one, ValidationError) else one or "" for one in refusals]


def assert_only_the_third_has_reached_it(found: list[str], noun: str, own: str) -> None:
    assert found[:2] == found[4:] == ["", ""]
    assert REACHED.format(noun) in found[2]
    assert own in found[3]


def test_of_judgments_only_those_beyond_the_limit_are_refused(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    stored = judge(assignment, "D1", 0)
    acts = [
        Act(uuid4(), "D2", grade=0),
        Act(uuid4(), "D1", grade=1),
        Act(uuid4(), "D1", grade=2),
        Act(uuid4(), "D1", grade=9),
        Act(stored.uuid, "D1", grade=0),
        Act(uuid4(), "D3", grade=1),
    ]
    for _ in range(2):  # the refused ones are not counted, and what is stored is not refused when it comes again
        outcomes = judgments_record(assessor=cast.assessor, assignment=assignment, acts=acts)
        found = reasons([one.refusal for one in outcomes])
        assert_only_the_third_has_reached_it(found, "changed judgment", "Grade 9 is not on")
    current = Judgment.objects.filter(is_current=True).order_by("docno").values_list("docno", "grade")
    assert list(current) == [("D1", 1), ("D2", 0), ("D3", 1)]


def test_of_answers_to_pairs_only_those_beyond_the_limit_are_refused(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["401"])
    make_collection(cast.task, ["D1", "D2", "D3"])
    make_qrels(cast.task, {"401": dict.fromkeys(["D1", "D2", "D3"], 3)}, cast.organiser)
    comparison = make_comparison(cast, topic, ["D1", "D2", "D3"])
    left, right = standing_of(comparison).state.open[0]
    first = Answered(uuid4(), left, right, "left")
    changed = Answered(uuid4(), left, right, "right")
    sent = [
        first,
        changed,
        Answered(uuid4(), undoes=changed.uuid),
        Answered(uuid4(), left, "elsewhere", "left"),
        first,
        first,
    ]
    for _ in range(2):
        outcomes = preferences_record(assessor=cast.assessor, assignment=comparison, sent=sent)
        found = reasons([one.refusal for one in outcomes])
        assert_only_the_third_has_reached_it(found, "changed comparison", "are not compared so")
    assert PreferenceAct.objects.count() == 2


def test_of_grades_of_a_model_only_those_beyond_the_limit_are_refused(cast: Cast) -> None:
    make_assignment(cast, ["D1", "D2", "D3"])
    model, _ = make_model_assessor(cast.task, cast.organiser)
    first = ModelGrade(uuid4(), "401", "D1", 0, PROMPT)
    others = [("D1", 1), ("D1", 2), ("D1", 9)]
    sent = [first, *(ModelGrade(uuid4(), "401", docno, grade, PROMPT) for docno, grade in others), first]
    sent.append(ModelGrade(uuid4(), "401", "D2", 1, PROMPT))
    for _ in range(2):
        found = reasons([one.refusal for one in model_grades_record(assessor=model, grades=sent)])
        assert_only_the_third_has_reached_it(found, "changed grade", "9 is no grade of this task")
    current = model.judgments.filter(is_current=True).order_by("docno").values_list("docno", "grade")
    assert list(current) == [("D1", 1), ("D2", 1)]


def test_a_batch_that_is_refused_uses_up_nothing_of_the_day(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    assignment = make_assignment(cast, ["D1"])
    judge(assignment, "D1", 0)
    monkeypatch.setattr(judgments, "MOST_JUDGED_AGAIN_A_DAY", 0)
    for _ in range(2):
        with pytest.raises(ValidationError, match="within a day"):
            judge(assignment, "D1", 1)
    monkeypatch.setattr(judgments, "MOST_JUDGED_AGAIN_A_DAY", 1)
    judge(assignment, "D1", 1)


def test_first_judgments_ask_for_no_limit(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1"])
    with CaptureQueriesContext(connection) as asked:
        judge(assignment, "D1", 0)
    assert not [query["sql"] for query in asked.captured_queries if "cache_entries" in query["sql"]]


@pytest.mark.django_db(transaction=True)
def test_an_import_neither_spends_nor_obeys_the_limit_of_the_assessors(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    for docno in ("D1", "D2", "D3"):
        judge(assignment, docno, 0)
    content = lines(*(row(cast, docno, grade=1, uuid=str(uuid4())) for docno in ("D1", "D2")))
    import_ = send(cast, content)
    assert import_.state == Import.DONE, import_.problems
    judge(assignment, "D3", 1)
    assert set(Judgment.objects.filter(is_current=True).values_list("grade", flat=True)) == {1}
