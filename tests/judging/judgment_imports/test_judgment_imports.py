"""Judgments of several assessors from a file: what is exported comes in again, and whatever is wrong is named."""

import csv
import json
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from campaign.collection.services.imports import import_confirm, import_receive
from campaign.models import AuditEvent, Import, Role
from campaign.queue.jobs import inline
from judging.desk.services.judgments import judgment_record, judgment_undo
from judging.judgment_imports.services import JUDGMENTS_JOBS
from judging.judgments.exports import acts_csv, history_csv, history_jsonl
from judging.models import Assignment, Judgment
from tests.factories import Cast, make_cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment, make_subtopics
from tests.tampering import erase

pytestmark = pytest.mark.django_db(transaction=True)

DOCNOS = ["D1", "D2", "=D3", "D4"]
STATED = (
    "topic__number",
    "docno",
    "assessor__username",
    "pass_number",
    "verdict",
    "grade",
    "details",
    "note",
    "reason",
)
STATED += ("flagged", "is_current", "active_ms", "text_sha256", "topic_sha256", "guidelines_sha256")


@pytest.fixture
def own(cast: Cast) -> Assignment:
    return make_assignment(cast, DOCNOS)


def judged_by_two(own: Assignment, cast: Cast) -> None:
    """Changes of mind, acts taken back, notes and flags, of two assessors."""
    other = assign(own.pool, own.topic, make_user("zoe"), cast.organiser, pass_number=2)
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    said: list[tuple[Assignment, str, int | None, dict[str, Any]]] = [
        (own, "D1", 1, {"note": "=1+1"}),
        (own, "D1", 3, {"active_ms": 1200, "text_sha256": "ab" * 32}),
        (other, "D1", 2, {"flagged": True, "note": "two\nlines, “quoted”"}),
        (own, "D2", None, {"reason": "empty"}),
        (other, "=D3", 0, {}),
        (other, "D4", 3, {}),
    ]
    for minute, (assignment, docno, grade, values) in enumerate(said):
        judge(assignment, docno, grade, judged_at=begin + timedelta(minutes=minute), **values)
    judgment_undo(assessor=other.assessor, assignment=other)
    draft = {"verdict": Judgment.DRAFT, "note": "later"}
    judgment_record(assessor=own.assessor, assignment=own, uuid=uuid4(), docno="D4", **draft)


def same_people_elsewhere(own: Assignment, **values: Any) -> Cast:
    """Another campaign with the same topic, documents and assessors, of which nothing is judged."""
    there = make_cast(**values)
    copy = make_assignment(there, DOCNOS, assessor=own.assessor)
    for one in Assignment.objects.filter(topic=own.topic).exclude(pk=own.pk):
        assign(copy.pool, copy.topic, one.assessor, there.organiser, pass_number=one.pass_number)
    return there


def send(cast: Cast, content: str | bytes, name: str = "judgments.csv") -> Import:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    with inline():
        received = import_receive(
            actor=cast.organiser,
            task=cast.task,
            kind=Import.JUDGMENTS,
            file=ContentFile(data),
            file_name=name,
            jobs=JUDGMENTS_JOBS,
        )
        received.refresh_from_db()
        if received.state == Import.READY:
            import_confirm(actor=cast.organiser, import_=received, jobs=JUDGMENTS_JOBS)
        received.refresh_from_db()
    return received


def told(import_: Import) -> dict[str, list[int | None]]:
    """The lines of each kind of problem."""
    found: dict[str, list[int | None]] = {}
    for one in import_.problems["shown"]:
        found.setdefault(one["code"], []).append(one["line"])
    return found


def stated(cast: Cast, **of: Any) -> list[tuple[Any, ...]]:
    rows = Judgment.objects.filter(topic__task=cast.task, **of)
    return sorted(rows.values_list(*STATED), key=str)


def moments(cast: Cast, **of: Any) -> list[tuple[str, str, datetime]]:
    """CSV has no parts of a second."""
    rows = Judgment.objects.filter(topic__task=cast.task, **of).values_list("docno", "assessor__username", "judged_at")
    return sorted((docno, assessor, at.replace(microsecond=0)) for docno, assessor, at in rows)


def lines(*rows: dict[str, Any]) -> str:
    usual = {"topic": "401", "assessor": "assessor", "grade": 1}
    return "".join(json.dumps({**usual, **row}) + "\n" for row in rows)


def row(cast: Cast, docno: str = "D1", **values: Any) -> dict[str, Any]:
    return {"docno": docno, "assessor": cast.assessor.username, **values}


@pytest.mark.parametrize("kind", ["counting", "history as CSV", "history as JSON lines"])
def test_what_is_exported_of_several_assessors_comes_in_again_with_who_judged(
    cast: Cast, own: Assignment, kind: str
) -> None:
    judged_by_two(own, cast)
    current = Judgment.objects.filter(is_current=True).order_by("pk")
    there = same_people_elsewhere(own)
    files = {
        "counting": lambda: acts_csv(current, cast.task),
        "history as CSV": lambda: history_csv(cast.task),
        "history as JSON lines": lambda: history_jsonl(cast.task),
    }
    content = "".join(files[kind]())
    done = send(there, content)
    assert done.state == Import.DONE, done.problems
    only = {"is_current": True} if kind == "counting" else {}
    assert stated(there, **only) == stated(cast, **only)
    assert moments(there, **only) == moments(cast, **only)
    count = Judgment.objects.count()
    again = send(there, content)
    assert (again.state, again.found["new"], Judgment.objects.count()) == (Import.DONE, 0, count)
    assert "judgments_known" in told(again)


def test_an_export_that_comes_back_to_its_own_task_adds_nothing(cast: Cast, own: Assignment) -> None:
    judged_by_two(own, cast)
    count = Judgment.objects.count()
    done = send(cast, "".join(history_csv(cast.task)))
    assert (done.state, done.found["known"], Judgment.objects.count()) == (Import.DONE, count, count)


def test_grades_of_subtopics_come_in_again(db: None) -> None:
    cast = make_cast(judging_mode="subtopic")
    own = make_assignment(cast, DOCNOS)
    make_subtopics(own.topic, ["a", "b"])
    judge(own, "D1", 3, answers={"subtopics": {"a": 3, "b": 1}})
    there = same_people_elsewhere(own, judging_mode="subtopic")
    make_subtopics(there.task.topics.get(), ["a", "b"])
    assert send(there, "".join(acts_csv(Judgment.objects.all(), cast.task))).state == Import.DONE
    assert Judgment.objects.get(topic__task=there.task).details == {"a": 3, "b": 1}


def test_the_judgment_says_that_it_was_imported_and_the_log_by_whom_from_which_file(
    cast: Cast, own: Assignment
) -> None:
    done = send(cast, lines(row(cast)), name="mine.jsonl")
    judgment = Judgment.objects.get()
    assert (judgment.assessor, judgment.get_input_method_display()) == (cast.assessor, "imported by an organiser")
    event = AuditEvent.objects.get(verb="import judgments")
    assert event.actor == cast.organiser
    assert event.data == {"judgments": 1, "known": 0, "assessors": 1, "file": "mine.jsonl", "sha256": done.sha256}


def test_every_line_that_cannot_be_stored_is_named_and_nothing_is_stored(cast: Cast, own: Assignment) -> None:
    uuid = str(uuid4())
    ahead = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    rows = [
        row(cast, "D1"),
        row(cast, "D1", assessor="nobody"),
        row(cast, "D1", topic="999"),
        row(cast, "D9"),
        row(cast, "D1", grade=9),
        row(cast, "D1", grade=True),
        row(cast, "D1", judged_at=ahead),
        row(cast, "D1", **{"pass": 2}),
        row(cast, "D1", assessor=""),
        row(cast, "D1", verdict="cannot_judge"),
        row(cast, "D2", uuid=uuid, undoes="0" * 32),
        row(cast, "D2", undoes=uuid4().hex, seconds=-1),
        row(cast, "D4", note="x" * 10**5),
        row(cast, "D4", uuid=uuid),
        row(cast, "D4", note="\ud800"),
        row(cast, "D4\0"),
        row(cast, "D4", flagged="perhaps", shown_at="yesterday", text_sha256="00", details=[1], uuid=7),
        row(cast, "D4", details='{"a": 1, "a": 2}'),
    ]
    done = send(cast, lines(*rows))
    assert (done.state, Judgment.objects.count()) == (Import.BAD, 0)
    assert told(done) == {
        "assessor_unknown": [2],
        "topic_not_assigned": [3, 8],
        "docno_not_pooled": [4],
        "judgment_refused": [5, 13],
        "judgment_grade": [6, 10],
        "judgment_in_future": [7],
        "assessor_missing": [9],
        "judgment_seconds": [12],
        "judgment_uuid_twice": [14],
        "judgment_note": [15],
        "judgment_docno": [16],
        "judgment_flagged": [17],
        "judgment_shown_at": [17],
        "judgment_text_sha256": [17],
        "judgment_details": [17, 18],
        "judgment_uuid": [17],
        "judgment_undoes_unknown": [None],
    }
    assert all(one["message"] and one["remedy"] for one in done.problems["shown"])


def test_a_later_judgment_of_the_file_counts_an_earlier_one_is_kept_and_both_are_named(
    cast: Cast, own: Assignment
) -> None:
    then = datetime(2026, 3, 1, tzinfo=UTC)
    for docno in ("D1", "D2"):
        judge(own, docno, 1, judged_at=then)
    later, earlier = ((then + timedelta(days=days)).isoformat() for days in (1, -1))
    done = send(cast, lines(row(cast, "D1", grade=3, judged_at=later), row(cast, "D2", grade=3, judged_at=earlier)))
    assert (done.state, told(done)) == (Import.DONE, {"judgment_differs": [1, 2]})
    counts = Judgment.objects.filter(is_current=True)
    assert (dict(counts.values_list("docno", "grade")), Judgment.objects.count()) == ({"D1": 3, "D2": 1}, 4)


def test_another_judgment_under_the_uuid_of_a_stored_one_is_refused(cast: Cast, own: Assignment) -> None:
    stored = judge(own, "D1", 1)
    done = send(cast, lines(row(cast, "D1", grade=2, uuid=str(stored.uuid))))
    assert told(done) == {"judgment_uuid_taken": [1]}


def test_who_judges_a_document_as_at_first_again_keeps_all_three_judgments_however_often_the_file_comes(
    cast: Cast, own: Assignment
) -> None:
    content = lines(*(row(cast, grade=grade) for grade in (1, 2, 1)))
    for _ in range(2):
        assert send(cast, content).state == Import.DONE
        assert list(Judgment.objects.order_by("pk").values_list("grade", "is_current")) == [
            (1, False),
            (2, False),
            (1, True),
        ]


def test_another_moment_answer_or_act_taken_back_under_the_uuid_of_a_stored_judgment_is_refused(db: None) -> None:
    cast = make_cast(judging_mode="subtopic")
    own = make_assignment(cast, DOCNOS)
    make_subtopics(own.topic, ["a", "b"])
    then = datetime(2026, 3, 1, 12, 0, 0, 5000, tzinfo=UTC)
    first = judge(own, "D1", 1, judged_at=then - timedelta(days=1))
    stored = judge(own, "D1", 2, judged_at=then, answers={"subtopics": {"a": 2}})
    same = row(cast, grade=2, uuid=str(stored.uuid), judged_at=then.isoformat(), subtopics={"a": 2})
    alike = ({}, {"details": {"a": 2}, "subtopics": None}, {"judged_at": "2026-03-01T12:00:00Z"}, {"reason": "empty"})
    for changed in alike:
        done = send(cast, lines({**same, **changed}))
        assert (done.state, done.found["known"]) == (Import.DONE, 1), changed
    others = ({"subtopics": {"b": 2}}, {"judged_at": "2026-03-02T12:00:00Z"}, {"undoes": str(first.uuid)})
    for changed in (*others, {"subtopics": None}):
        assert told(send(cast, lines({**same, **changed}))) == {"judgment_uuid_taken": [1]}, changed


def test_what_the_site_does_not_keep_of_a_line_lets_the_file_come_in_again(cast: Cast, own: Assignment) -> None:
    content = lines(row(cast, "D1", reason="empty", details={"a": 1}), row(cast, "D2", details={"a": 2}))
    for known in (0, 2):
        done = send(cast, content)
        assert (done.state, done.found["known"]) == (Import.DONE, known), done.problems
        [warning] = [one for one in done.problems["shown"] if one["code"] == "judgment_details_unread"]
        assert (warning["severity"], warning["count"]) == ("warning", 2)


def test_a_history_completes_what_an_export_of_the_judgments_that_count_left_out(cast: Cast, own: Assignment) -> None:
    judged_by_two(own, cast)
    there = same_people_elsewhere(own)
    current = "".join(acts_csv(Judgment.objects.filter(topic__task=cast.task, is_current=True), cast.task))
    for content in (current, current, *["".join(history_csv(cast.task))] * 2):
        done = send(there, content)
        assert done.state == Import.DONE, done.problems
    assert stated(there, is_current=True) == stated(cast, is_current=True)


def test_an_act_taken_back_by_a_line_stands_before_it_even_if_it_stands_again_after_it(
    cast: Cast, own: Assignment
) -> None:
    first, undone, undoing = (str(uuid4()) for _ in range(3))
    rows = [
        row(cast, grade=1, uuid=first, judged_at="2026-03-01T12:00:00Z"),
        row(cast, grade=3, uuid=undone, judged_at="2026-03-01T12:01:00Z"),
        row(cast, grade=1, uuid=undoing, undoes=undone, judged_at="2026-03-01T12:02:00Z"),
    ]
    done = send(cast, lines(*rows, *rows))
    assert (done.state, done.found["new"], done.found["known"]) == (Import.DONE, 3, 3), done.problems


def test_an_act_that_takes_back_a_later_line_or_says_another_grade_than_it_leaves_is_refused(
    cast: Cast, own: Assignment
) -> None:
    first, undone, undoing = (str(uuid4()) for _ in range(3))
    times = [f"2026-03-01T12:0{minute}:00Z" for minute in range(3)]
    judged = row(cast, grade=1, uuid=first, judged_at=times[0]), row(cast, grade=3, uuid=undone, judged_at=times[1])
    back = row(cast, grade=2, uuid=undoing, undoes=undone, judged_at=times[2])
    assert told(send(cast, lines(back, *judged)))["judgment_order"] == [1]
    assert told(send(cast, lines(*judged, back))) == {"judgment_undoes_otherwise": [3]}
    assert send(cast, lines(*judged, {**back, "grade": 1})).state == Import.DONE
    assert Judgment.objects.get(is_current=True).grade == 1


def at(minute: int) -> str:
    return f"2026-03-01T12:{minute:02}:00Z"


def history(own: Assignment) -> list[tuple[int, str, int | None, bool]]:
    acts = Judgment.objects.filter(topic=own.topic).order_by("judged_at", "pk")
    return [(one.judged_at.minute, one.verdict, one.grade, one.is_current) for one in acts]


GRADED, WITHDRAWN = Judgment.GRADED, Judgment.WITHDRAWN


@pytest.mark.parametrize(
    ("minute", "known", "told_of", "left"),
    [
        (3, [(1, 1)], {"judgment_differs": [1]}, (3, WITHDRAWN, None, True)),
        (3, [(1, 1), (5, 2)], {"judgment_differs": [1]}, (3, WITHDRAWN, None, False)),  # what is judged later stays
        (5, [(1, 1), (3, 2)], {"judgment_undoes_otherwise": [1]}, (5, GRADED, 2, True)),
        (3, [(1, 1), (5, None)], {}, (3, WITHDRAWN, None, False)),  # undone here already
        (5, [(1, 1), (3, None)], {}, (5, WITHDRAWN, None, True)),
        (5, [(1, 1), (3, None), (4, 2)], {"judgment_undoes_otherwise": [1]}, (5, GRADED, 2, True)),
    ],
)
def test_an_act_that_takes_back_a_judgment_of_the_desk_comes_in_at_its_moment_and_no_judgment_is_lost(
    cast: Cast,
    own: Assignment,
    minute: int,
    known: list[tuple[int, int | None]],
    told_of: dict[str, list[int]],
    left: tuple[int, str, int | None, bool],
) -> None:
    uuids = [uuid4() for _ in known]
    for uuid, (then, grade) in zip(uuids, known, strict=True):
        values: dict[str, Any] = {"undoes": uuids[0]} if grade is None else {"grade": grade}
        act = {"docno": "D1", "judged_at": datetime.fromisoformat(at(then)), **values}
        judgment_record(assessor=own.assessor, assignment=own, uuid=uuid, **act)
    before = history(own)
    undo = {"uuid": str(uuid4()), "undoes": str(uuids[0]), "verdict": WITHDRAWN, "judged_at": at(minute)}
    for is_new in (1, 0):
        done = send(cast, lines(row(cast, **undo, grade=None)))
        assert (done.state, done.found["new"]) == (Import.DONE, is_new), done.problems
        expected = told_of if is_new else {code: at for code, at in told_of.items() if code != "judgment_differs"}
        assert told(done) == expected | ({} if is_new else {"judgments_known": [None]})
        assert left in history(own)
        others = [act[:3] for act in history(own) if act != left]
        assert others == [act[:3] for act in before]


def test_an_act_that_takes_back_a_judgment_of_another_document_is_stored_as_what_it_states_and_named(
    cast: Cast, own: Assignment
) -> None:
    other = judge(own, "D2", 3)
    done = send(cast, lines(row(cast, grade=2, undoes=str(other.uuid))))
    assert (done.state, told(done)) == (Import.DONE, {"judgment_undoes_other": [None]})
    assert dict(Judgment.objects.filter(is_current=True).values_list("docno", "grade")) == {"D1": 2, "D2": 3}


def test_a_file_of_a_task_that_is_deleted_later_comes_in_again_and_adds_nothing(cast: Cast, own: Assignment) -> None:
    judged_by_two(own, cast)
    there, content = same_people_elsewhere(own), "".join(history_csv(cast.task))
    assert send(there, content).state == Import.DONE
    for judgment in Judgment.objects.filter(topic__task=cast.task):
        erase(judgment)
    count = Judgment.objects.count()
    again = send(there, content)
    assert (again.state, again.found["new"], Judgment.objects.count()) == (Import.DONE, 0, count), again.problems


def test_a_file_that_was_stored_under_other_uuids_as_before_a_restoration_is_told_before_it_is_stored_twice(
    cast: Cast, own: Assignment
) -> None:
    rows = [row(cast, "D1", judged_at=at(1)), row(cast, "D2")]
    send(cast, lines(*({**one, "uuid": str(uuid4())} for one in rows)))
    again = send(cast, lines(*rows))
    [problem] = [problem for problem in again.problems["shown"] if problem["code"] == "judgments_again"]
    assert (problem["message"], problem["count"]) == ("2 judgments of the file would be stored a second time.", 2)
    assert "If it was this file, nothing of it needs to be imported." in problem["remedy"]
    assert "judgments_again" not in told(send(cast, lines(row(cast, "D1", judged_at=at(2)))))


def test_who_lost_the_role_gets_no_judgments_nor_does_a_closed_campaign(cast: Cast, own: Assignment) -> None:
    Role.objects.filter(user=cast.assessor).delete()
    assert told(send(cast, lines(row(cast)))) == {"assessor_unknown": [1]}
    cast.campaign.closed_at = datetime.now(UTC)
    cast.campaign.save()
    assert "campaign_closed" in told(send(cast, lines(row(cast))))
    assert not Judgment.objects.exists()


def test_what_changed_between_check_and_confirmation_is_refused_as_a_whole(cast: Cast, own: Assignment) -> None:
    with inline():
        received = import_receive(
            actor=cast.organiser, task=cast.task, kind=Import.JUDGMENTS, file_name="a", jobs=JUDGMENTS_JOBS,
            file=ContentFile(lines(row(cast, "D1"), row(cast, "D2")).encode()),
        )  # fmt: skip
        received.refresh_from_db()
        assert (received.state, Judgment.objects.count()) == (Import.READY, 0)
        own.delete()
        import_confirm(actor=cast.organiser, import_=received, jobs=JUDGMENTS_JOBS)
    received.refresh_from_db()
    assert (received.state, told(received)) == (Import.BAD, {"topic_not_assigned": [1]})
    assert received.problems["errors"] == 2


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "empty_file", None),
        ("topic,docno,assessor,grade\n", "empty_file", None),
        ("401 0 D1 2\n", "csv_columns", 1),
        ("topic,docno,docno\n", "csv_columns", 1),
        ('topic,docno,assessor,grade,note\n401,D1,x,1,"a\nb"\n401,D1,"x\n', "csv_broken", 4),
        ("topic,docno,assessor,grade\n401,D1,x,1,2\n", "csv_cells", 2),
        ("topic;docno;assessor;grade\n401,D1,x,1\n", "csv_cells", 2),
        ('sep=;\ntopic;docno;assessor;grade;note\n401;D1;x;1;"a\n', "csv_broken", 3),
        (b"\xff\xfet\0o\0p", "utf16", None),
        ('{"topic": 401\n', "json_broken", 1),
        ('[{"topic": 401}]\n', "json_not_object", 1),
        ('{\n"topic": 401\n}\n', "json_broken", 1),
        ("PK\x03\x04", "archive", None),
    ],
)
def test_what_is_no_file_of_judgments_is_named(
    cast: Cast, own: Assignment, content: str | bytes, code: str, line: int | None
) -> None:
    assert told(send(cast, content)).get(code) == [line]


@pytest.mark.parametrize(("separator", "before"), [(";", ""), ("\t", ""), (";", "sep=;\r\n"), (",", "sep=,\r\n")])
def test_exported_judgments_come_in_as_a_spreadsheet_saved_them(
    cast: Cast, own: Assignment, separator: str, before: str
) -> None:
    judged_by_two(own, cast)
    current, out = Judgment.objects.filter(is_current=True).order_by("pk"), StringIO(newline="")
    saved = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    for cells in csv.reader(StringIO("".join(acts_csv(current, cast.task)), newline="")):
        saved.writerow([*cells, "", ""])
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"):
        there = same_people_elsewhere(own)
        received = send(there, (before + out.getvalue()).encode(encoding))
        assert received.state == Import.DONE, (encoding, told(received))
        assert stated(there) == stated(cast, is_current=True), encoding


def test_a_column_without_a_name_is_named_as_not_read(cast: Cast, own: Assignment) -> None:
    received = send(cast, f"topic;;docno;assessor;grade\n401;so;D1;{cast.assessor.username};1\n")
    assert received.state == Import.DONE
    [problem] = received.problems["shown"]
    assert problem["message"] == "This is not read: a column without a name."


def test_a_page_shows_the_check_and_stores_the_judgments_when_they_are_confirmed(
    cast: Cast, own: Assignment, django_capture_on_commit_callbacks: Any
) -> None:
    client = client_of(cast, "organiser")
    assert cast.task.url("judgments_import") in client.get(cast.task.url("judgment_list")).content.decode()
    with inline():
        file = ContentFile(lines(row(cast, note="<b>so</b>")).encode(), name="two.jsonl")
        there = client.post(cast.task.url("judgments_import"), {"file": file})["Location"]
        page = client.get(there).content.decode()
        assert "Import 1 judgment" in page
        assert "&lt;b&gt;so&lt;/b&gt;" in page
        client.post(cast.task.url("judgments_import_confirm", import_id=Import.objects.get().pk))
    assert "The judgments are imported." in client.get(there).content.decode()
    assert Judgment.objects.get().assessor == cast.assessor
    with inline():
        file = ContentFile(lines(row(cast, note="<b>so</b>")).encode(), name="two.jsonl")
        page = client.get(client.post(cast.task.url("judgments_import"), {"file": file})["Location"]).content.decode()
    assert "Nothing is new in this file" in page
    assert "Import 0" not in page
    assert "Discard the file" in page


def test_judgments_are_exported_and_imported_by_command(cast: Cast, own: Assignment, tmp_path: Path) -> None:
    def run(name: str, of: Cast, *arguments: str) -> str:
        out = StringIO()
        address = f"{of.campaign.slug}/{of.task.slug}"
        call_command(name, address, *arguments, "--as", of.organiser.username, stdout=out)
        return out.getvalue()

    judged_by_two(own, cast)
    there, file = same_people_elsewhere(own), tmp_path / "out.csv"
    file.write_text(run("export_judgments", cast))
    assert run("import_judgments", there, str(file)) == "6 judgments of 2 assessors imported, 0 were here already\n"
    assert run("import_judgments", there, str(file)) == "0 judgments of 2 assessors imported, 6 were here already\n"
    file.write_text("")
    with pytest.raises(CommandError, match="nothing was imported"):
        run("import_judgments", there, str(file))


def test_an_assessor_is_known_however_their_name_is_written_and_the_nearest_docno_is_named(
    cast: Cast, own: Assignment
) -> None:
    zoe = make_user("zo\u00eb")
    assign(own.pool, own.topic, zoe, cast.organiser)
    assert send(cast, lines(row(cast, assessor="ZOE\u0308"))).state == Import.DONE
    assert Judgment.objects.get().assessor == zoe
    [problem] = send(cast, lines(row(cast, "d1"))).problems["shown"]
    assert "D1" in problem["message"]


def test_a_hidden_repeat_takes_only_what_its_assessor_judged_before_here_or_in_the_file(
    cast: Cast, own: Assignment
) -> None:
    repeat = assign(own.pool, own.topic, cast.assessor, cast.organiser, pass_number=2)
    Assignment.objects.filter(pk=repeat.pk).update(is_repeat=True)
    before, again, other = (
        row(cast, "D1", **{"pass": 1}),
        row(cast, "D1", **{"pass": 2}),
        row(cast, "D2", **{"pass": 2}),
    )
    assert told(send(cast, lines(before, again, other))) == {"docno_not_pooled": [3]}
    for verdict in (Judgment.DRAFT, Judgment.WITHDRAWN):
        noted = {**before, "grade": None, "verdict": verdict}
        assert told(send(cast, lines(noted, again))) == {"docno_not_pooled": [2]}, verdict
    assert send(cast, lines(again, before)).state == Import.DONE


def test_an_export_is_utf_8_whatever_the_terminal_and_a_moment_that_no_database_holds_is_named(
    cast: Cast, own: Assignment
) -> None:
    judge(own, "D1", 1, note="\u0142")
    address, raw = f"{cast.campaign.slug}/{cast.task.slug}", BytesIO()
    terminal = TextIOWrapper(raw, encoding="cp1252", errors="backslashreplace")
    call_command("export_judgments", address, "--as", cast.organiser.username, stdout=terminal)
    terminal.flush()
    assert ",\u0142," in raw.getvalue().decode()
    for moment in ("0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"):
        with pytest.raises(CommandError, match="Choose a year from 1900"):
            call_command("export_judgments", address, "--as", cast.organiser.username, "--as-of", moment)


def test_only_who_knows_the_secret_of_the_site_can_compute_the_uuid_of_a_judgment_that_came_without_one(
    own: Assignment, cast: Cast, settings: LazySettings
) -> None:
    """Who could would learn at their own desk, where a UUID of others is refused, what another assessor says of a document."""
    for key in ("one secret", "another secret"):
        settings.SECRET_KEY = key
        for _ in range(2):
            assert send(cast, lines(row(cast, "D1"))).state == Import.DONE
    assert len(Judgment.objects.values("uuid")) == 2
