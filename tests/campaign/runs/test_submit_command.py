import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Acceptance, Registration, Run, Task, Team
from tests.campaign.runs.makers import RANKING, make_ready_cast
from tests.campaign.teams.makers import make_agreement
from tests.factories import Cast, run_lines


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_ready_cast()


def run_file(folder: Path, tag: str, content: bytes | None = None, ending: str = ".txt") -> Path:
    path = folder / f"{tag}{ending}"
    path.write_bytes(run_lines(RANKING, tag) if content is None else content)
    return path


def submit(cast: Cast, *arguments: object, team: str | None = None) -> str:
    said = io.StringIO()
    address = f"{cast.campaign.slug}/{cast.task.slug}"
    options = ["--as", cast.member.username, "--team", team or cast.team.name]
    call_command("submit_run", address, *map(str, arguments), *options, stdout=said)
    return said.getvalue()


def test_runs_are_submitted_and_checked_at_once(cast: Cast, tmp_path: Path) -> None:
    said = submit(cast, run_file(tmp_path, "one"), run_file(tmp_path, "two", ending=".run"))
    assert "one: valid, 3 lines, no problems" in said
    assert list(Run.objects.order_by("tag").values_list("tag", "state")) == [("one", "valid"), ("two", "valid")]


def test_the_details_of_a_run_are_kept(cast: Cast, tmp_path: Path) -> None:
    path = run_file(tmp_path, "other", run_lines(RANKING, "bm25"))
    submit(cast, path, "--tag", "bm25", "--kind", "manual", "--priority", "3", "--description", "by hand")
    run = Run.objects.get()
    assert (run.tag, run.kind, run.priority, run.description) == ("bm25", "manual", 3, "by hand")


def test_a_rejected_run_gives_its_problems_with_lines_and_exit_code_one(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_file(tmp_path, "bad", b"1 Q0 a 1 5.0\n")
    with pytest.raises(CommandError, match=r"1 of 2 runs not accepted: bad\.txt"):
        submit(cast, path, run_file(tmp_path, "good"))
    assert f"{path}:1: error:" in capsys.readouterr().err
    assert set(Run.objects.values_list("tag", "state")) == {("bad", "rejected"), ("good", "valid")}


def test_a_run_that_cannot_be_taken_is_named_and_the_others_go_on(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run_file(tmp_path, "a b")
    with pytest.raises(CommandError, match="not accepted"):
        submit(cast, path, run_file(tmp_path, "good"))
    assert f"{path}: “a b” is no run tag here" in capsys.readouterr().err
    assert Run.objects.get().tag == "good"


def test_a_team_is_founded_and_registered_when_asked(cast: Cast, tmp_path: Path) -> None:
    path = run_file(tmp_path, "one")
    with pytest.raises(CommandError, match="--create-team"):
        submit(cast, path, team="Nova")
    submit(cast, path, "--create-team", team="Nova")
    submit(cast, run_file(tmp_path, "two"), "--create-team", team="Nova")
    assert Registration.objects.filter(team=Team.objects.get(name="Nova"), campaign=cast.campaign).count() == 1
    assert Run.objects.filter(team__name="Nova").count() == 2


def test_a_file_that_is_not_there_is_an_error_in_words(cast: Cast, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nothing cannot be read: No such file or directory\. Check the path\."):
        submit(cast, tmp_path / "nothing")
    assert not Run.objects.exists()


def test_a_tag_for_two_files_is_an_error(cast: Cast, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--tag names one run"):
        submit(cast, run_file(tmp_path, "one"), run_file(tmp_path, "two"), "--tag", "x")


def test_answers_and_a_replacement_are_given_as_options(cast: Cast, tmp_path: Path) -> None:
    question = {"key": "model", "label": "Model?", "kind": "text", "required": True, "help": "", "choices": []}
    Task.objects.update(questions=[question])
    path = run_file(tmp_path, "one")
    with pytest.raises(CommandError, match="key=value"):
        submit(cast, path, "--answer", "model")
    with pytest.raises(CommandError, match="not accepted"):
        submit(cast, path)
    submit(cast, path, "--answer", "model=bm25 = best")
    assert "one: valid" in submit(cast, path, "--answer", "model=bm25+", "--replace"), "a script that is run again"
    assert Run.objects.get().answers == {"model": "bm25 = best"}
    path.write_bytes(b"# the second one\n" + path.read_bytes())
    submit(cast, path, "--answer", "model=bm25+", "--replace")
    runs = Run.objects.order_by("attempt").values_list("state", "answers")
    assert list(runs) == [("withdrawn", {"model": "bm25 = best"}), ("valid", {"model": "bm25+"})]


def test_agreements_are_accepted_by_an_option_and_never_by_themselves(cast: Cast, tmp_path: Path) -> None:
    make_agreement(cast.campaign, cast.organiser, "Terms")
    path = run_file(tmp_path, "one")
    with pytest.raises(CommandError, match="agreement"):
        submit(cast, path, "--create-team", team="Nova")
    with pytest.raises(CommandError, match="not accepted"):
        submit(cast, path)
    submit(cast, path, "--create-team", "--accept-agreements", team="Nova")
    submit(cast, run_file(tmp_path, "two"), "--accept-agreements")
    assert Run.objects.filter(state=Run.VALID).count() == Acceptance.objects.count() == 2
