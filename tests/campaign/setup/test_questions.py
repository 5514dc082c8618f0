from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.models import Run, Task
from campaign.setup.run_questions import MOST_QUESTIONS, Question, questions_problem, read_answers, read_questions
from campaign.setup.services.tasks import task_update
from tests.campaign.runs.makers import make_ready_cast, signed_in
from tests.campaign.setup.test_rule_settings import form_data
from tests.factories import Cast, make_received_run

MODEL = Question("model", "Which model?", required=True)
TRAINED = Question("trained", "Trained on what?", "choice", choices=("nothing", "old qrels"))
NEURAL = Question("neural", "Is it neural?", "yes/no")
DEPTH = Question("depth", "Re-ranked to which depth?", "number")
ALL = [MODEL, TRAINED, NEURAL, DEPTH]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast()


@pytest.fixture
def organiser(cast: Cast) -> Client:
    return signed_in(cast.organiser)


def row(number: int, label: str, key: str, kind: str = "text", **more: str) -> dict[str, str]:
    values = {"label": label, "key": key, "kind": kind, **more}
    return {f"questions-{number}-{name}": value for name, value in values.items()}


def edit(organiser: Client, task: Task, *rows: dict[str, str], total: int | None = None) -> Any:
    data = form_data(organiser.get(task.url("task_edit")))
    for changed in rows:
        data |= changed
    data["questions-TOTAL_FORMS"] = str(max(len(rows), int(data["questions-TOTAL_FORMS"])) if total is None else total)
    return organiser.post(task.url("task_edit"), data)


def test_questions_are_kept_and_read_as_they_were_written() -> None:
    assert read_questions([question.to_json() for question in ALL]) == ALL
    assert questions_problem(ALL) == ""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (Question("Model", "x"), "is no key"),
        (Question("1st", "x"), "is no key"),
        (Question("", "x"), "is no key"),
        (Question("a", "  "), "has no text"),
        (Question("a", "x", "colour"), "there is no kind"),
        (Question("a", "x", "choice", choices=("one", "one")), "two different choices"),
    ],
)
def test_a_question_that_cannot_be_asked_is_named(question: Question, told: str) -> None:
    assert told in questions_problem([question])


def test_keys_come_once_and_there_is_a_limit() -> None:
    assert "the same key" in questions_problem([MODEL, MODEL])
    assert "at most" in questions_problem([Question(f"q{n}", "x") for n in range(MOST_QUESTIONS + 1)])


@pytest.mark.parametrize(
    ("given", "answers"),
    [
        ({"model": " BM25 "}, {"model": "BM25"}),
        ({"model": "x", "neural": "yes", "depth": "100"}, {"model": "x", "neural": True, "depth": 100}),
        ({"model": "x", "neural": False, "depth": 0.5}, {"model": "x", "neural": False, "depth": 0.5}),
        ({"model": "x", "trained": "old qrels", "depth": ""}, {"model": "x", "trained": "old qrels"}),
    ],
)
def test_answers_are_read_in_their_types(given: dict[str, Any], answers: dict[str, Any]) -> None:
    assert read_answers(ALL, given) == (answers, {})


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({}, "model"),
        ({"model": ""}, "model"),
        ({"model": "x" * 2001}, "model"),
        ({"model": "x", "neural": "maybe"}, "neural"),
        ({"model": "x", "depth": "deep"}, "depth"),
        ({"model": "x", "depth": "nan"}, "depth"),
        ({"model": "x", "trained": "new qrels"}, "trained"),
        ({"model": "x", "colour": "blue"}, "colour"),
    ],
)
def test_an_answer_that_does_not_fit_is_reported_at_its_key(given: dict[str, Any], wrong: str) -> None:
    assert list(read_answers(ALL, given)[1]) == [wrong]


def test_questions_are_written_by_form_in_their_order_and_empty_rows_are_left_out(
    cast: Cast, organiser: Client
) -> None:
    answer = edit(
        organiser,
        cast.task,
        row(0, "Which model?", "model", required="on"),
        row(1, "", ""),
        row(2, "Trained on what?", "trained", "choice", choices="nothing\n\n old qrels \n"),
    )
    assert answer.status_code == 302
    assert read_questions(Task.objects.get().questions) == [MODEL, TRAINED]
    edit(organiser, cast.task, row(0, "Which model?", "model", DELETE="on"))
    assert read_questions(Task.objects.get().questions) == [TRAINED]


def test_what_is_wrong_is_reported_at_the_row(cast: Cast, organiser: Client) -> None:
    answer = edit(
        organiser,
        cast.task,
        row(0, "Which model?", "model"),
        row(1, "Which other?", "Model"),
        row(2, "Which again?", "model"),
        row(3, "", "lonely"),
        row(4, "Pick", "pick", "choice", choices="one"),
    )
    assert answer.status_code == 422
    errors = answer.context["questions"].errors
    assert [list(found) for found in errors] == [[], ["key"], ["key"], ["label"], ["choices"]]
    assert Task.objects.get().questions == []


def test_an_answered_question_can_be_reworded_but_keeps_its_key_kind_and_given_choices(
    cast: Cast, organiser: Client
) -> None:
    cast.task.questions = [MODEL.to_json(), TRAINED.to_json()]
    cast.task.save()
    run = make_received_run(cast.task, cast.team, "one", b"1 Q0 a 1 1 one\n")
    Run.objects.filter(pk=run.pk).update(answers={"model": "BM25", "trained": "old qrels"})
    page = organiser.get(cast.task.url("task_edit")).content.decode()
    assert "but not the key and the kind" in page
    answer = edit(organiser, cast.task, row(0, "Which retrieval model?", "model"))
    assert answer.status_code == 302, [answer.context[part].errors for part in ("form", "scale", "rules", "questions")]
    assert Task.objects.get().questions[0]["label"] == "Which retrieval model?"
    for changed in (row(0, "Which model?", "engine"), row(0, "", "", DELETE="on")):
        answer = edit(organiser, cast.task, changed)
        assert answer.status_code == 422
        assert "cannot be removed or renamed" in answer.content.decode()
    for kept in (Question("model", "x", "number"), Question("other", "x")):
        with pytest.raises(ValidationError, match="answers are kept"):
            task_update(actor=cast.organiser, task=cast.task, questions=[kept.to_json(), TRAINED.to_json()])
    other_choices = Question("trained", "x", "choice", choices=("nothing", "clicks"))
    with pytest.raises(ValidationError, match="the choice stays"):
        task_update(actor=cast.organiser, task=cast.task, questions=[MODEL.to_json(), other_choices.to_json()])


def test_questions_of_another_shape_are_refused_in_words(cast: Cast) -> None:
    for wrong in ([{"label": "no key"}], [{"key": "a", "label": "x", "colour": 1}], [{"key": "a", "label": 5}], ["a"]):
        with pytest.raises(ValidationError) as refusal:
            task_update(actor=cast.organiser, task=cast.task, questions=wrong)
        assert list(refusal.value.message_dict) == ["questions"]


def test_a_text_of_a_question_is_one_plain_line() -> None:
    for label, choices in (("two\nlines", ("a", "b")), ("turned \u202earound", ("a", "b")), ("fine", ("a", "b\t"))):
        question = Question(key="k", label=label, kind="choice", choices=choices)
        assert "one line" in questions_problem([question])
