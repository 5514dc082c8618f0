import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4, uuid5

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.utils import timezone

from campaign.models import Task
from judging.desk.services.judgments import Act, judgment_record
from judging.desk.services.submissions import judgments_submit
from judging.management.commands.record_judgments import NAMESPACE
from judging.models import Assignment, Judgment, Qrels
from tests.factories import Cast, make_cast, make_topics
from tests.judging.makers import judge, make_assignment, make_subtopics

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2", "D3"])


def run(cast: Cast, name: str, *arguments: str, actor: Any = None) -> str:
    out = StringIO()
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    call_command(name, address, *arguments, "--as", (actor or cast.organiser).username, stdout=out)
    return out.getvalue()


def test_qrels_before_runs_close_the_task_and_every_command_says_so_and_what_to_do(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_topics(cast.task, ["401"])
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.RUNS, closes_at=None)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("401 0 D1 1\n")
    printed = run(cast, "import_qrels", str(qrels))
    assert "The task is now in the phase Scores." in printed
    remedy = "To take runs, set a deadline in the future, or go back to the phase Runs on the page of the task."
    closed = "This task takes no more runs: its phase is Scores, and it has no deadline."
    assert f"{closed} {remedy}" in printed
    run(cast, "open_task")
    assert f"warning: {closed} {remedy}" in capsys.readouterr().err
    run(cast, "score_runs")
    assert "warning: The task has no valid run." in capsys.readouterr().err
    with pytest.raises(CommandError, match="the task has no valid run"):
        run(cast, "publish_leaderboard")


def test_a_task_of_a_draft_is_said_to_take_no_runs_because_of_the_draft(
    cast: Cast, capsys: pytest.CaptureFixture[str]
) -> None:
    make_topics(cast.task, ["401"])
    type(cast.campaign).objects.update(opened_at=None)
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SETUP, closes_at=timezone.now() + timedelta(days=30))
    run(cast, "open_task")
    warned = capsys.readouterr().err
    assert "warning: The campaign is a draft" in warned
    assert "set a deadline" not in warned


def test_a_task_without_topics_is_opened_with_a_warning(cast: Cast, capsys: pytest.CaptureFixture[str]) -> None:
    cast.task.topics.all().delete()
    run(cast, "open_task")
    assert "warning: There are no topics yet: runs are checked again" in capsys.readouterr().err


def test_topics_are_assigned_by_command_and_a_second_time_changes_nothing(cast: Cast, assignment: Assignment) -> None:
    Assignment.objects.all().delete()
    assert run(cast, "assign_topics", "--assessor", cast.assessor.username, "--all").startswith("1 topic ")
    assert run(cast, "assign_topics", "--assessor", cast.assessor.username, "--topics", "401").startswith("0 topics")
    with pytest.raises(CommandError, match="no topic 999"):
        run(cast, "assign_topics", "--assessor", cast.assessor.username, "--topics", "999")


def test_judgments_are_recorded_from_a_file_once_however_often_it_is_read(
    cast: Cast, assignment: Assignment, tmp_path: Path
) -> None:
    file = tmp_path / "judgments.jsonl"
    rows = [
        {"topic": "401", "docno": "D1", "grade": 2, "seconds": 12.5, "note": "good"},
        {"topic": "401", "docno": "D2", "grade": None},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("2 judgments")
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("0 judgments")
    assert list(Judgment.objects.values_list("docno", "grade", "verdict", "active_ms")) == [
        ("D1", 2, "graded", 12500),
        ("D2", None, "cannot_judge", None),
    ]


def test_a_judgment_that_is_made_again_after_another_is_recorded_from_a_file_and_counts(
    cast: Cast, assignment: Assignment, tmp_path: Path
) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_text("".join(json.dumps({"topic": "401", "docno": "D1", "grade": grade}) + "\n" for grade in (1, 2, 1)))
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("3 judgments")
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("0 judgments")
    assert Judgment.objects.get(is_current=True).grade == 1


def test_a_line_under_the_uuid_that_earlier_versions_made_is_known_and_others_follow_from_a_secret(
    cast: Cast, assignment: Assignment, tmp_path: Path, settings: LazySettings
) -> None:
    old, new = (json.dumps({"topic": "401", "docno": docno, "grade": 1}) for docno in ("D1", "D2"))
    made = uuid5(NAMESPACE, f"{assignment.pk} D1 {old}")
    judgment_record(assessor=assignment.assessor, assignment=assignment, uuid=made, docno="D1", grade=1)
    file = tmp_path / "judgments.jsonl"
    file.write_text(f"{old}\n{new}\n")
    for key, recorded in (
        ("one secret", "1 judgment"),
        ("another secret", "1 judgment"),
        ("another secret", "0 judgments"),
    ):
        settings.SECRET_KEY = key
        assert run(cast, "record_judgments", str(file), actor=cast.assessor) == f"{recorded} recorded\n"


@pytest.mark.parametrize("changed", [{"grade": 2}, {"judged_at": "2026-03-01T12:00:01Z"}])
def test_another_grade_or_moment_under_the_uuid_of_a_recorded_judgment_is_named_and_not_recorded(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any]
) -> None:
    then = datetime(2026, 3, 1, 12, microsecond=5, tzinfo=UTC)
    stored, file = judge(assignment, "D1", 1, judged_at=then), tmp_path / "judgments.jsonl"
    same = {"topic": "401", "docno": "D1", "grade": 1, "uuid": str(stored.uuid), "judged_at": "2026-03-01T12:00:00Z"}
    file.write_text(json.dumps(same))
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("0 judgments")
    file.write_text(json.dumps({**same, **changed}))
    with pytest.raises(CommandError, match="1 line was not recorded"):
        run(cast, "record_judgments", str(file), actor=cast.assessor)
    told = capsys.readouterr().err
    assert (
        f"line 1: The UUID {stored.uuid} is that of a judgment that is stored already: D1, grade 1, 2026-03-01 12:00:00"
        in told
    )
    assert Judgment.objects.get() == stored


def test_a_program_whose_clock_runs_ahead_may_send_its_judgment_again(cast: Cast, assignment: Assignment) -> None:
    acts = [Act(uuid4(), "D1", grade=1, judged_at=timezone.now() + timedelta(minutes=5))]
    for _ in range(2):
        [outcome] = judgments_submit(assessor=cast.assessor, assignment=assignment, acts=acts)
        assert outcome.refusal is None


def test_subtopics_are_recorded_from_a_file_as_a_list_or_with_grades(db: None, tmp_path: Path) -> None:
    cast = make_cast(judging_mode="subtopic")
    make_subtopics(make_assignment(cast, [f"D{number}" for number in range(1, 7)]).topic, ["a", "b"])
    rows: list[dict[str, Any]] = [
        {"topic": "401", "docno": "D1", "grade": 2, "subtopics": ["b"]},
        {"topic": "401", "docno": "D2", "grade": 3, "subtopics": {"a": 3}},
        {"topic": "401", "docno": "D3", "grade": 1},
        {"topic": "401", "docno": "D4", "grade": 1, "subtopics": ["z"]},
        {"topic": "401", "docno": "D5", "grade": 2, "subtopics": {"a": "1", "b": 2.0}},
        {"topic": "401", "docno": "D6", "grade": 2, "subtopics": {"a": "much"}},
    ]
    file = tmp_path / "judgments.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(CommandError, match="2 lines were not recorded"):
        run(cast, "record_judgments", str(file), actor=cast.assessor)
    assert dict(Judgment.objects.values_list("docno", "details")) == {
        "D1": {"a": 0, "b": 1},
        "D2": {"a": 3, "b": 0},
        "D3": {"a": 0, "b": 0},
        "D5": {"a": 1, "b": 2},
    }


def test_bad_lines_are_named_and_the_good_ones_recorded(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "judgments.jsonl"
    lines = [
        '{"topic": "401", "docno": "D1", "grade": 1}',
        "nothing",
        '{"topic": "401", "docno": "D2", "grade": 9}',
        '{"topic": "402", "docno": "D1", "grade": 1}',
        '{"topic": "401", "docno": "D3"}',
    ]
    file.write_text("\n".join(lines))
    with pytest.raises(CommandError, match="4 lines were not recorded"):
        run(cast, "record_judgments", str(file), actor=cast.assessor)
    told = capsys.readouterr().err
    assert all(f"line {number}:" in told for number in (2, 3, 4, 5))
    assert Judgment.objects.get().docno == "D1"


def test_qrels_are_released_by_command_with_a_warning(
    cast: Cast, assignment: Assignment, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(assignment, "D1", 2)
    assert run(cast, "release_qrels", "--note", "by script").startswith("qrels v1: 1 judgment of 1 topic")
    assert "2 pooled pairs have no grade" in capsys.readouterr().err
    assert Qrels.objects.get().note == "by script"


def test_qrels_are_imported_by_command_or_refused_with_their_problems(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("401 0 D1 9\n")
    with pytest.raises(CommandError, match="nothing was imported"):
        run(cast, "import_qrels", str(file))
    assert "line 1" in capsys.readouterr().err
    file.write_text("401 0 D1 2\n")
    assert run(cast, "import_qrels", str(file)).startswith("qrels v1: 1 judgment ")


def test_the_command_is_told_what_words_stand_for_and_which_column_holds_the_grade(
    cast: Cast, assignment: Assignment, tmp_path: Path
) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("401 0 D1 E 7\n401 0 D2 I 7\n")
    with pytest.raises(CommandError, match="--grade-words: “E” is no word with its grade"):
        run(cast, "import_qrels", str(file), "--grade-words", "E")
    run(cast, "import_qrels", str(file), "--grade-words", "E=3 I=0", "--grade-column", "4")
    assert (Qrels.objects.get().judgment_count, Qrels.objects.get().relevant_count) == (2, 1)


def test_of_a_pair_that_comes_twice_the_command_takes_the_line_that_it_is_told_to(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "qrels.csv"
    file.write_text("401,0,D1,0\n401,0,D2,0\n401,0,D1,3\n")
    with pytest.raises(CommandError, match=r"^1 error in .*qrels.csv; nothing was imported"):
        run(cast, "import_qrels", str(file))
    assert "--repeated first, last or highest by command" in capsys.readouterr().err
    run(cast, "import_qrels", str(file), "--repeated", "last")
    assert "1 pair stands on several lines with different grades: the last line counts" in capsys.readouterr().err
    assert Qrels.objects.get().relevant_count == 1


def test_qrels_of_a_file_are_merged_with_the_judgments_made_here_by_command(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge(assignment, "D1", 2)
    judge(assignment, "D2", 0)
    file = tmp_path / "qrels.txt"
    file.write_text("401 0 D1 3\n401 0 D9 1\n")
    with pytest.raises(CommandError, match="nothing was imported"):
        run(cast, "import_qrels", str(file), "--merge", "refuse")
    assert "grade 2 here, grade 3 in the file" in capsys.readouterr().err
    said = run(cast, "import_qrels", str(file), "--merge", "file", "--policy", "median")
    assert said.splitlines() == [
        "qrels v1: 3 judgments of 1 topic",
        "graded here only: 1, in the file only: 1, alike: 0, differently: 1",
        "The task is now in the phase Scores.",
    ]
    assert Qrels.objects.get().policy == "median"


def test_qrels_with_subtopics_are_taken_by_a_task_whose_mode_has_them(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_subtopics(assignment.topic, ["a"])
    file = tmp_path / "qrels.txt"
    file.write_text("401 a D1 2\n")
    with pytest.raises(CommandError, match="nothing was imported"):
        run(cast, "import_qrels", str(file), "--subtopics")
    assert "A task of the judging mode graded takes no qrels with subtopics" in capsys.readouterr().err
    Task.objects.update(judging_mode="subtopic")
    assert run(cast, "import_qrels", str(file), "--subtopics").startswith("qrels v1: 1 judgment ")


def test_qrels_are_imported_by_organisers_only(cast: Cast, assignment: Assignment, tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    file.write_text("401 0 D1 2\n")
    with pytest.raises(CommandError, match="no organiser"):
        run(cast, "import_qrels", str(file), actor=cast.assessor)
    assert not Qrels.objects.exists()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_lines_of_judgments_end_at_line_feeds_in_every_encoding(
    cast: Cast, assignment: Assignment, tmp_path: Path, encoding: str
) -> None:
    file, line = (
        tmp_path / "judgments.jsonl",
        '{"topic": "401", "docno": "D1", "grade": 1, "note": "a\u2028b\u0085c"}\n',
    )
    file.write_bytes(line.encode(encoding))
    assert run(cast, "record_judgments", str(file), actor=cast.assessor).startswith("1 judgment")
    assert Judgment.objects.get().note == "a\u2028b\u0085c"


def test_keys_that_are_written_otherwise_are_named_with_the_known_one(
    cast: Cast, assignment: Assignment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "judgments.jsonl"
    file.write_text('{"topic": "0401", "docno": "D1", "grade": 1}\n{"topic": "401", "docno": "d2.txt", "grade": 1}\n')
    with pytest.raises(CommandError, match="2 lines were not recorded"):
        run(cast, "record_judgments", str(file), actor=cast.assessor)
    told = capsys.readouterr().err
    assert "Assign it first. This assessor has 401 without zeros." in told
    assert "The pool has D2 without the ending .txt and in capitals." in told
    with pytest.raises(CommandError, match=r"no topic 0401. The task has 401 without zeros\."):
        run(cast, "assign_topics", "--assessor", cast.assessor.username, "--topics", "0401")
