import errno
import io
import logging
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Campaign, Document, Import, Role, Task, User
from campaign.setup.services.blueprints import CampaignTable
from tests.campaign.collection.makers import DOCUMENTS, TOPICS_TSV
from tests.factories import Cast, make_user
from tests.places import REPOSITORY

EXAMPLE = REPOSITORY / "docs" / "guide" / "example-campaign.toml"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("verbosity", "shown"), [(1, ""), (2, "check import")])
def test_the_log_of_jobs_stands_between_the_messages_of_a_command_only_where_it_is_asked_for(
    cast: Cast,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    verbosity: int,
    shown: str,
) -> None:
    terminal, file = io.StringIO(), tmp_path / "topics.tsv"
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(terminal)])
    caplog.set_level(logging.INFO)
    file.write_bytes(TOPICS_TSV)
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    call_command("import_topics", address, str(file), "--as", cast.organiser.username, verbosity=verbosity)
    assert bool(terminal.getvalue()) == bool(shown)
    assert shown in terminal.getvalue()


def test_an_account_is_created_with_a_password_from_standard_input(db, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    call_command("create_user", "olga", "--password-stdin", "--superuser")
    user = User.objects.get(username="olga")
    assert user.check_password("correct horse battery")
    assert user.is_superuser


def test_without_a_password_the_account_cannot_sign_in(db) -> None:
    call_command("create_user", "olga")
    assert not User.objects.get(username="olga").has_usable_password()


@pytest.mark.parametrize(("name", "password"), [("olga", "123"), ("ol ga", "correct horse battery"), ("OLGA2", "x")])
def test_a_bad_name_or_password_creates_nobody(db, monkeypatch, name: str, password: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(password))
    with pytest.raises(CommandError):
        call_command("create_user", name, "--password-stdin")
    assert not User.objects.exists()


def test_a_user_name_is_taken_whatever_its_case(db) -> None:
    call_command("create_user", "olga")
    with pytest.raises(CommandError):
        call_command("create_user", "Olga")


def test_a_user_name_that_was_taken_since_it_was_checked_is_refused(db, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse battery\n"))
    command = "campaign.management.commands.create_user.validate_password"
    monkeypatch.setattr(command, lambda password, user: make_user("olga"))
    with pytest.raises(CommandError, match="not free"):
        call_command("create_user", "Olga", "--password-stdin")


def test_the_example_of_the_guide_creates_a_campaign(db) -> None:
    user = make_user("olga")
    call_command("create_campaign", str(EXAMPLE), "--as", "olga")
    task = Task.objects.select_related("campaign").get()
    assert (task.campaign.slug, task.slug, task.phase) == ("repair-2027", "ad-hoc", Task.SETUP)
    assert task.campaign.opened_at is None
    assert [(grade.value, grade.gain) for grade in task.grades.all()] == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert task.closes_at is not None
    assert task.closes_at.isoformat() == "2027-03-16T11:59:00+00:00"
    assert list(Role.objects.values_list("user", "role")) == [(user.pk, Role.ORGANISER)]
    assert (task.rule_severities, task.docno_pattern) == (
        {"topic_missing": "error", "not_q0": "off"},
        "repair-[0-9]{6}",
    )
    assert [(question["key"], question["kind"]) for question in task.questions] == [
        ("model", "text"),
        ("training", "choice"),
    ]
    assert task.campaign.registration == Campaign.OPEN
    assert task.campaign.agreements.get().title == "Use of the collection"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("rule_severities = {column_count = 'off'}", "is fixed"),
        ("rule_severities = 'off'", "valid dictionary"),
        ("questions = ['model']", "tasks 1 questions 1: Input should be a valid dictionary"),
        ("[[tasks.questions]]\nkey = 'Model'\nlabel = 'x'", "is no key"),
        ("docno_pattern = 'a*(?=b)b'", "lookaheads"),
        ("[[agreements]]\ntitle = 'Use'", "agreements 1 text is missing"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_words_and_create_nothing(
    db, tmp_path: Path, wrong: str, told: str
) -> None:
    make_user("olga")
    file = tmp_path / "campaign.toml"
    file.write_text(f'slug = "velo"\ntitle = "Velo"\n[[tasks]]\nslug = "main"\ntitle = "Main"\n{wrong}\n')
    with pytest.raises(CommandError, match=told):
        call_command("create_campaign", str(file), "--as", "olga")
    assert not Campaign.objects.exists()


def test_a_campaign_is_created_from_yaml_as_well(db, tmp_path: Path) -> None:
    make_user("olga")
    make_user("asha")
    file = tmp_path / "campaign.yaml"
    file.write_text(
        "slug: velo\ntitle: Velo\nopen: true\nassessors: [asha]\n"
        "tasks:\n- {slug: main, title: Main, judging_mode: subtopic, closes_at: 2027-03-01 23:59:00}\n"
    )
    call_command("create_campaign", str(file), "--as", "olga")
    task = Task.objects.get()
    assert Campaign.objects.get().opened_at is not None
    assert task.measures[-1] == "alpha-nDCG@10"
    assert Role.objects.filter(role=Role.ASSESSOR).count() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("slug = ", "is not sound TOML"),
        ('slug = "a"', "title is missing"),
        ('slug = "a"\ntitle = "A"\ncolour = "red"', "colour is unknown"),
        ('slug = "a"\ntitle = "A"\nopen = "yes"', "open: Input should be a valid boolean"),
        ('slug = "a"\ntitle = "A"\nassessors = ["nobody"]', "no user “nobody”"),
        ('slug = "a"\ntitle = "A"\nassessors = "nobody"', "assessors: Input should be a valid list"),
        ('slug = "a"\ntitle = "A"\ntasks = 3', "tasks: Input should be a valid list"),
        ('slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"', "title is missing"),
        (
            'slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B"\ncloses_at = "soon"',
            "“soon” is no date and time",
        ),
        (
            'slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B"\nopens_at = "2026-02-30T10:00"',
            "tasks 1 opens_at: “2026-02-30T10:00” is no date and time. Write it like 2026-11-30T23:59.",
        ),
        (
            'slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B"\ncloses_at = 2027-03-15',
            "tasks 1 closes_at: “2027-03-15” is a date without a time. Give the time, such as 2027-03-15 23:59.",
        ),
        (
            'slug = "a"\ntitle = "A"\ntime_zone = "Europe/Zurich"\ntasks = [{slug="b",title="B",closes_at=2027-03-28T02:30:00}]',
            "task b, closes_at: Clocks of Europe/Zurich show 2027-03-28 02:30 never",
        ),
        (
            'slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B"\n[[tasks.grades]]\nvalue = 0',
            "tasks 1 grades 1 label is missing",
        ),
        ('slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B"\nmax_runs_per_team = "many"', "integer"),
        ('slug = "a b"\ntitle = "A"', "campaign, slug: .*lower-case"),
        ('slug = "a"\ntitle = "A\\u202eB"', "campaign, title: Write this on one line"),
        ('slug = "a"\ntitle = "A"\n[[tasks]]\nslug = "b"\ntitle = "B\\tC"', "task b, title: Write this on one line"),
    ],
)
def test_a_campaign_file_with_a_mistake_creates_nothing(db, tmp_path: Path, text: str, message: str) -> None:
    make_user("olga")
    file = tmp_path / "campaign.toml"
    file.write_text(text)
    with pytest.raises(CommandError, match=message):
        call_command("create_campaign", str(file), "--as", "olga")
    assert not Campaign.objects.exists()


def test_all_mistakes_of_a_campaign_file_are_reported_at_once(db, tmp_path: Path) -> None:
    make_user("olga")
    file = tmp_path / "campaign.yaml"
    file.write_text("slug: [3]\ntasks: [{slug: a, title: A, grades: [{value: high, label: x}]}]\ncolour: red\n")
    with pytest.raises(CommandError) as refusal:
        call_command("create_campaign", str(file), "--as", "olga")
    assert str(refusal.value).splitlines() == [
        "slug: Input should be a valid string.",
        "title is missing.",
        "tasks 1 grades 1 value: Input should be a valid integer, unable to parse string as an integer.",
        f"colour is unknown. Use one of: {', '.join(sorted(CampaignTable.model_fields))}.",
    ]


def test_yaml_may_give_numbers_for_texts_and_nothing_for_what_is_usual(db, tmp_path: Path) -> None:
    make_user("olga")
    file = tmp_path / "campaign.yaml"
    grades = "[{value: 0, label: 0}, {value: '1', label: 1}]"
    task = f"{{slug: 1, title: 2026, max_documents_per_topic: '100', measures: null, grades: {grades}}}"
    file.write_text(f"slug: 2026\ntitle: 2026\ntasks: [{task}]\n")
    call_command("create_campaign", str(file), "--as", "olga")
    task = Campaign.objects.get(slug="2026").tasks.get()
    assert (task.slug, task.max_documents_per_topic, task.measures) == ("1", 100, list(task.mode.measures))
    assert list(task.grades.values_list("value", "label")) == [(0, "0"), (1, "1")]


@pytest.fixture
def run(cast: Cast, tmp_path: Path, transactional_db):
    def run(command: str, content: bytes, *options: str, who: str = "") -> str:
        file = tmp_path / "file.txt"
        file.write_bytes(content)
        out = io.StringIO()
        address = f"{cast.campaign.slug}/{cast.task.slug}"
        call_command(command, address, str(file), *options, "--as", who or cast.organiser.username, stdout=out)
        return out.getvalue()

    return run


def test_topics_and_documents_are_imported_by_command(cast: Cast, run) -> None:
    assert "imported 2 topics" in run("import_topics", TOPICS_TSV)
    assert "imported 7 documents" in run("import_documents", DOCUMENTS)
    assert "imported 1 document" in run(
        "import_documents", '{"id": "é", "text": "café"}'.encode("latin-1"), "--encoding", "windows-1252"
    )
    assert "imported 1 document number into" in run("import_documents", b"only-a-number\n", "--docnos-only")
    assert "imported 1 document" in run("import_documents", b'{"id": "x", "note": "n"}\n', "--shown-fields", "note")
    assert (Document.objects.get(docno="x").text, Document.objects.get(docno="é").text) == ("n", "café")
    assert "imported 1 topic into" in run("import_topics", b"9\tnine\n", "--replace")
    assert [topic.number for topic in cast.task.topics.all()] == ["9"]
    assert Document.objects.count() == 10


def test_number_title_and_further_parts_of_topics_are_chosen_by_command(cast: Cast, run) -> None:
    line = b'{"id": 5, "code": "C1", "words": "old boats", "year": 2020}\n'
    chosen = ["--number-from", "code", "--title-from", "words", "--other-parts", "narrative"]
    assert "imported 1 topic" in run("import_topics", line, *chosen)
    topic = cast.task.topics.get()
    assert (topic.number, topic.title, topic.narrative) == ("C1", "old boats", "id: 5\n\nyear: 2020")
    several = b'{"id": 6, "lang": "de", "title": "Boote"}\n{"id": 6, "lang": "en", "title": "boats"}\n'
    run("import_topics", several, "--language", "de")
    assert cast.task.topics.get(number="6").title == "Boote"


def test_a_bad_file_ends_the_command_with_its_problems_on_stderr(cast: Cast, run, capsys) -> None:
    with pytest.raises(CommandError, match="1 error in "):
        run("import_topics", TOPICS_TSV + b"1\tagain\n")
    assert "line 3: Topic 1 was already given on line 1" in capsys.readouterr().err
    assert not cast.task.topics.exists()
    assert Import.objects.get().state == Import.DISCARDED


def test_a_command_acts_for_organisers_only(cast: Cast, run) -> None:
    with pytest.raises(CommandError, match="no organiser"):
        run("import_topics", TOPICS_TSV, who=cast.member.username)


def test_a_file_that_is_not_there_is_named(cast: Cast, tmp_path: Path) -> None:
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_topics", address, str(tmp_path / "none"), "--as", cast.organiser.username)


def test_a_storage_that_cannot_be_written_is_not_taken_for_a_fault_of_the_file_that_is_named(
    cast: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until version 1.1 the sentence named the file that can be read well."""

    def refuse(*args: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "/srv/files")

    file, address = tmp_path / "topics.tsv", f"{cast.campaign.slug}/{cast.task.slug}"
    file.write_text(f"1\t{uuid4()}\n", encoding="utf-8")  # the same bytes may be stored already
    monkeypatch.setattr("campaign.storage.disk.written_at_once", refuse)
    with pytest.raises(
        CommandError, match=r"^The storage of files .* /srv/files takes no files: Read-only file system\."
    ):
        call_command("import_topics", address, str(file), "--as", cast.organiser.username)


def test_a_task_is_opened_by_command_and_opening_it_again_changes_nothing(cast: Cast) -> None:
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    for before, after in ((Task.SETUP, Task.RUNS), (Task.JUDGING, Task.JUDGING)):
        Task.objects.update(phase=before)
        call_command("open_task", address, "--as", cast.organiser.username)
        assert Task.objects.get().phase == after
