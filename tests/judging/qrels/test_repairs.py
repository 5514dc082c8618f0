"""A file of qrels whose check found what a press mends: the file and the other choices stay."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile

from campaign.collection.services.imports import import_confirm, import_discard
from campaign.collection.services.repairs import import_repair
from campaign.log.audit import AFTER_SCORES
from campaign.models import AuditEvent, Import, Task
from campaign.setup.services.tasks import task_update
from judging.models import Assignment, Qrels
from judging.qrels.services.imports import QRELS_JOBS
from judging.qrels.services.repairs import qrels_repairs
from tests.evaluation.makers import make_valid_run
from tests.factories import Cast
from tests.judging.makers import client_of, make_assignment, send_qrels

pytestmark = pytest.mark.django_db
Press = Callable[..., str]


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


@pytest.fixture
def press(cast: Cast, django_capture_on_commit_callbacks: Any) -> Press:
    """Press a button of an import's page; returns the page that follows."""

    def press(import_: Import, repair: str, **more: str) -> str:
        client, address = client_of(cast, "organiser"), cast.task.url("qrels_import_repair", import_id=import_.pk)
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post(address, {"repair": repair, **more})
        import_.refresh_from_db()
        return client.get(answer["Location"]).content.decode()

    return press


def offered(import_: Import) -> dict[str, str]:
    import_.refresh_from_db()
    return {repair.name: repair.label for repair in qrels_repairs(import_)}


def test_missing_grades_are_added_by_a_button_that_keeps_file_and_choices(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    lines = "401 0 D1 4\n401 0 D2 12\n401 0 D3 0\n"
    import_ = send_qrels(cast, lines, django_capture_on_commit_callbacks, note="from NIST")
    page = client_of(cast, "organiser").get(cast.task.url("qrels_import_detail", import_id=import_.pk))
    assert "Add grades 4 and 12 to the scale and check again" in page.content.decode()
    assert "Change it anyway" not in page.content.decode(), "nobody has seen scores"
    assert "3 lines found" in press(import_, "add-grades")
    assert import_.state == Import.READY
    assert import_.options["note"] == "from NIST"
    added = cast.task.grades.filter(value__in=(4, 12)).values_list("label", "key", "gain")
    assert list(added) == [("grade 4", "4", 4), ("grade 12", "a", 12)]
    assert offered(import_) == {}
    with django_capture_on_commit_callbacks(execute=True):
        import_confirm(actor=cast.organiser, import_=import_, jobs=QRELS_JOBS)
    assert Qrels.objects.get().judgment_count == 3


def test_a_scale_that_scores_rest_on_grows_only_once_that_is_confirmed(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    make_valid_run(cast.task, cast.team, "bm25", {"401": ["D1"]})
    with django_capture_on_commit_callbacks(execute=True):
        scored = send_qrels(cast, "401 0 D1 3\n", django_capture_on_commit_callbacks)
        import_confirm(actor=cast.organiser, import_=scored, jobs=QRELS_JOBS)
    import_ = send_qrels(cast, "401 0 D1 4\n", django_capture_on_commit_callbacks)
    page = client_of(cast, "organiser").get(cast.task.url("qrels_import_detail", import_id=import_.pk))
    assert "Change it anyway" in page.content.decode()
    assert "Not done: confirm first that scores change (grade 4 added with gain 4)." in press(import_, "add-grades")
    assert not cast.task.grades.filter(value=4).exists()
    assert import_.state == Import.BAD
    press(import_, "add-grades", confirmed="1")
    assert cast.task.grades.filter(value=4).exists()
    assert import_.state == Import.READY
    event = AuditEvent.objects.filter(verb="update", object_type="task").latest("pk")
    assert event.data[AFTER_SCORES] == ["grade 4 added with gain 4"]


@pytest.mark.parametrize("lines", ["401 0 D1 101\n", "".join(f"401 0 D1 {grade}\n" for grade in range(30))])
def test_grades_that_no_scale_takes_have_no_button(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any, lines: str
) -> None:
    import_ = send_qrels(cast, lines, django_capture_on_commit_callbacks)
    assert import_.state == Import.BAD
    assert "add-grades" not in offered(import_)


def test_a_binary_task_has_no_third_grade(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    Task.objects.update(judging_mode="binary")
    cast.task.grades.filter(value__gt=1).delete()
    cast.task.refresh_from_db()
    import_ = send_qrels(cast, "401 0 D1 2\n", django_capture_on_commit_callbacks)
    assert import_.state == Import.BAD
    assert offered(import_) == {}


def test_after_the_scale_was_changed_elsewhere_the_file_is_checked_by_it(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 4\n", django_capture_on_commit_callbacks)
    scale = [grade.step() for grade in cast.task.grades.all()]
    task_update(actor=cast.organiser, task=cast.task, grades=[*scale, {"value": 4, "label": "key page"}])
    assert list(offered(import_)) == ["again"]
    assert "Not done" in press(import_, "add-grades")
    press(import_, "again")
    assert import_.state == Import.READY
    assert cast.task.grades.get(value=4).label == "key page"


def test_of_pairs_that_come_twice_a_button_says_which_counts_and_another_changes_it(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 3\n401 0 D1 1\n", django_capture_on_commit_callbacks)
    assert list(offered(import_)) == ["repeated-first", "repeated-last", "repeated-highest"]
    press(import_, "repeated-last")
    assert (import_.state, import_.preview[0]["grade"]) == (Import.READY, 1)
    assert list(offered(import_)) == ["repeated-first", "repeated-highest"]
    press(import_, "repeated-first")
    assert (import_.state, import_.preview[0]["grade"]) == (Import.READY, 3)


def test_a_list_of_relevant_documents_is_read_after_a_press(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401\tD1\n401\tD2\n", django_capture_on_commit_callbacks)
    assert list(offered(import_)) == ["listed"]
    press(import_, "listed")
    assert (import_.state, import_.records) == (Import.READY, 2)
    assert list(offered(import_)) == []


def test_letters_in_place_of_grades_are_read_after_a_press_that_says_what_they_stand_for(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 S\n401 0 D2 A\n401 0 D3 B\n", django_capture_on_commit_callbacks)
    assert offered(import_) == {
        "grade-words-1": "Read the grades S as 2, A as 1 and B as 0",
        "grade-words-2": "Read the grades S as 3, A as 2 and B as 1",
    }
    assert (
        "Read the grades S as 3, A as 2 and B as 1 and check again"
        in client_of(cast, "organiser").get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    )
    press(import_, "grade-words-2")
    assert (import_.state, [row["grade"] for row in import_.preview]) == (Import.READY, [3, 2, 1])
    assert list(offered(import_)) == []


def test_what_the_sender_said_of_some_words_stands_where_a_press_says_it_of_the_others(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    lines = "401 0 D1 E\n401 0 D2 S\n401 0 D3 I\n"
    import_ = send_qrels(cast, lines, django_capture_on_commit_callbacks, grade_words="E=1")
    assert offered(import_) == {"grade-words-1": "Read the grades E as 1, S as 2 and I as 0"}
    cast.task.grades.get_or_create(value=2, defaults={"label": "two", "key": "2"})
    press(import_, "grade-words-1")
    assert (import_.state, import_.options["grade_words"]) == (Import.READY, "E=1 S=2 I=0")


@pytest.mark.parametrize("words", ["kite", "Highly"])
def test_the_remedy_names_no_button_where_words_have_no_known_order(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any, words: str
) -> None:
    import_ = send_qrels(cast, f"401 0 D1 {words}\n", django_capture_on_commit_callbacks)
    assert offered(import_) == {}
    assert "button" not in import_.problems["shown"][0]["remedy"]
    assert "Grades that are words" in import_.problems["shown"][0]["remedy"]


def test_grades_that_letters_stand_for_are_added_to_a_scale_that_lacks_them(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    cast.task.grades.filter(value=3).delete()
    import_ = send_qrels(cast, "401 0 D1 E\n401 0 D2 I\n", django_capture_on_commit_callbacks)
    press(import_, "grade-words-1")
    assert (import_.state, list(offered(import_))) == (Import.BAD, ["add-grades"])
    press(import_, "add-grades")
    assert (import_.state, import_.options["grade_words"]) == (Import.READY, "E=3 I=0")


def test_of_several_grades_a_press_takes_one_column(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 2 1 0\n401 0 D2 0 -1 -1\n", django_capture_on_commit_callbacks)
    assert list(offered(import_)) == ["grade-column-4", "grade-column-5", "grade-column-6"]
    press(import_, "grade-column-5")
    assert (import_.state, [row["grade"] for row in import_.preview]) == (Import.READY, [1, -1])
    assert list(offered(import_)) == ["grade-column-4", "grade-column-6", "grade-column-none"]
    press(import_, "grade-column-4")
    assert (import_.state, [row["grade"] for row in import_.preview]) == (Import.READY, [2, 0])
    press(import_, "grade-column-none")
    assert list(offered(import_)) == ["grade-column-4", "grade-column-5", "grade-column-6"]


def test_what_names_no_grades_of_words_is_refused_at_the_form(cast: Cast, assignment: Assignment) -> None:
    sent = {"file": SimpleUploadedFile("q.txt", b"401 0 D1 E\n"), "grade_words": "E is 3"}
    answer = client_of(cast, "organiser").post(cast.task.url("qrels_import"), sent)
    assert answer.status_code == 422
    assert "is no word with its grade. Write such as E=3 S=2 C=1 I=0." in answer.content.decode()


def test_a_corrected_file_is_checked_again_from_the_page_with_the_choices_of_before(
    cast: Cast, assignment: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    chosen = {
        "note": "from <NIST>",
        "combine": "alone",
        "leave_out": "on",
        "new_set": "Readability",
        "repeated": "last",
    }
    import_ = send_qrels(cast, "401 0 D1 x\n", django_capture_on_commit_callbacks, **chosen)
    client = client_of(cast, "organiser")
    page = client.get(cast.task.url("qrels_import_detail", import_id=import_.pk)).content.decode()
    hidden = dict(re.findall('<input type="hidden" name="([a-z_]+)" value="([^"]+)">', page))
    del hidden["csrfmiddlewaretoken"]
    assert hidden == {**chosen, "note": "from &lt;NIST&gt;", "leave_out": "True"}
    assert "The judgments made here" not in page
    with django_capture_on_commit_callbacks(execute=True):
        file = SimpleUploadedFile("qrels.txt", b"401 0 D1 1\n")
        answer = client.post(cast.task.url("qrels_import"), {"file": file, **hidden, "note": "from <NIST>"})
    assert answer.status_code == 302
    again = Import.objects.exclude(pk=import_.pk).get()
    import_.refresh_from_db()
    assert (again.state, again.options) == (Import.READY, import_.options)


def test_topics_are_left_out_of_the_scores_and_taken_back_by_buttons(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 0\n", django_capture_on_commit_callbacks)
    press(import_, "leave-out")
    assert "Runs are not scored on them, as you asked." in import_.problems["shown"][0]["remedy"]
    press(import_, "score-all")
    assert "Runs are scored on them" in import_.problems["shown"][0]["remedy"]


def test_topic_numbers_are_matched_and_matched_no_more_by_buttons(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "MB401 0 D1 2\n", django_capture_on_commit_callbacks)
    assert list(offered(import_)) == ["match-topics"]
    press(import_, "match-topics")
    assert import_.state == Import.READY
    assert list(offered(import_)) == ["match-no-topics"]
    press(import_, "match-no-topics")
    assert import_.state == Import.BAD


def test_what_was_discarded_meanwhile_is_not_checked_again_and_nothing_is_added(
    cast: Cast, assignment: Assignment, press: Press, django_capture_on_commit_callbacks: Any
) -> None:
    import_ = send_qrels(cast, "401 0 D1 4\n", django_capture_on_commit_callbacks)
    [repair] = qrels_repairs(import_)
    import_discard(actor=cast.organiser, import_=Import.objects.get())
    with pytest.raises(ValidationError, match="discarded: it cannot be checked again"):
        import_repair(actor=cast.organiser, import_=import_, repair=repair, jobs=QRELS_JOBS)
    assert not cast.task.grades.filter(value=4).exists()
    assert "Not done" in press(import_, "add-grades")
