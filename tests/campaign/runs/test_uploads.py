"""The upload page: several files at once, the task's questions, replacing, what a client without right or sense may send."""

import csv
import gzip
import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import TestCase
from django.utils import timezone

from campaign.models import Agreement, Allowance, AuditEvent, Job, Mail, Run, Task
from campaign.runs.selectors.reading import checked_run
from campaign.runs.services.decisions import run_finish_check
from tests.campaign.runs.makers import RANKING, make_ready_cast, post_run, signed_in, submit_and_check
from tests.factories import Cast, make_received_run, make_team, make_user, run_lines

QUESTIONS = [
    {"key": "model", "label": "Which model?", "kind": "text", "required": True, "help": "", "choices": []},
    {"key": "stage", "label": "How many stages?", "kind": "number", "required": False, "help": "", "choices": []},
    {"key": "dense", "label": "Dense vectors?", "kind": "yes/no", "required": True, "help": "", "choices": []},
    {"key": "use", "label": "Fields", "kind": "choice", "required": False, "help": "", "choices": ["title", "all"]},
]
ANSWERS = {"answer_model": "bm25", "answer_stage": "2", "answer_dense": "no", "answer_use": "title"}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=3)


def files(*tags: str) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(f"{tag}.txt", run_lines(RANKING, tag)) for tag in tags]


def post_files(cast: Cast, sent: list[SimpleUploadedFile], **values: Any) -> Any:
    form = {"team": cast.team.pk, "kind": "automatic", "tag": "", "priority": 1, "file": sent, **values}
    headers = {"HX-Request": "true"} if values.pop("by_script", False) else {}
    with TestCase.captureOnCommitCallbacks(execute=True):
        return signed_in(cast.member).post(cast.task.url("run_create"), form, headers=headers)


def stored(*names: str) -> list[tuple[Any, ...]]:
    return list(Run.objects.order_by("tag", "attempt").values_list(*names))


# Several files


def test_several_files_become_runs_with_tags_of_their_names_and_counted_priorities(cast: Cast) -> None:
    answer = post_files(cast, files("one", "two", "three"), priority=2)
    assert (answer.status_code, answer.url) == (303, cast.task.url("run_list"))
    assert stored("tag", "priority", "state") == [("one", 2, "valid"), ("three", 4, "valid"), ("two", 3, "valid")]
    page = signed_in(cast.member).get(answer.url)
    assert page.status_code == 200


def test_tags_and_priorities_belong_to_the_files_in_their_order(cast: Cast) -> None:
    sent = [SimpleUploadedFile(f"file{tag}.gz", gzip.compress(run_lines(RANKING, tag))) for tag in ("aa", "bb")]
    post_files(cast, sent, tag=["aa", "bb"], priority=["7", "5"])
    assert stored("tag", "priority", "file_name", "state") == [
        ("aa", 7, "fileaa.gz", "valid"),
        ("bb", 5, "filebb.gz", "valid"),
    ]


def test_the_good_ones_of_several_files_stay_and_the_others_are_told_why(cast: Cast) -> None:
    bad = SimpleUploadedFile("b c.txt", b"x\n")
    answer = post_files(cast, [*files("one"), SimpleUploadedFile("two.txt", b""), bad], description="how it was made")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert stored("tag") == [("one",)]
    assert f'href="{Run.objects.get().attempt_url}"' in page
    assert "The file is empty. Choose the right one" in page
    assert "“b c” is no run tag here" in page
    assert "how it was made" in page


def test_the_quota_ends_among_several_files_and_says_whose(cast: Cast) -> None:
    answer = post_files(cast, files("a", "b", "c", "d"))
    assert answer.status_code == 422
    assert Run.objects.count() == 3
    assert f"{cast.team} has used up its quota, 3 of 3 runs." in answer.content.decode()


def test_two_files_of_one_tag_in_one_request_are_one_run_and_one_refusal(cast: Cast) -> None:
    answer = post_files(cast, files("one", "one"))
    assert answer.status_code == 422
    assert Run.objects.count() == 1
    assert "This tag is not free in this task" in answer.content.decode()


def test_more_files_than_are_taken_in_one_request_are_refused_with_the_number(cast: Cast) -> None:
    answer = post_files(cast, files(*(f"run{number}" for number in range(21))))
    assert answer.status_code == 400
    assert "Send at most 20 files in one request" in answer.content.decode()
    assert not Run.objects.exists()


def test_a_priority_out_of_range_is_reported_for_its_file_alone(cast: Cast) -> None:
    answer = post_files(cast, files("one", "two"), priority=["1000", "1"])
    assert answer.status_code == 422
    assert "less than or equal to 999" in answer.content.decode()
    assert "2 of 3 runs left" in answer.content.decode()
    assert stored("tag") == [("two",)]


def test_what_the_files_share_is_checked_before_any_of_them_is_stored(cast: Cast) -> None:
    answer = post_files(cast, files("one", "two"), kind="magic")
    assert answer.status_code == 422
    assert not Run.objects.exists()


def test_the_script_that_sends_file_by_file_gets_each_outcome_as_a_piece_of_page(cast: Cast) -> None:
    good = post_files(cast, files("one"), by_script=True)
    assert good.status_code == 200
    assert 'data-sent="received"' in good.content.decode()
    assert f'data-choice="{cast.team} (2 of 3 runs left)" hidden>2 of 3 runs left<' in good.content.decode()
    assert f'data-url="{Run.objects.get().attempt_url}"' in good.content.decode()
    bad = post_files(cast, files("one"), by_script=True)
    assert bad.status_code == 422
    assert 'data-sent="refused"' in bad.content.decode()
    assert "This tag is not free in this task" in bad.content.decode()
    assert "<html" not in bad.content.decode()


def test_the_outcome_of_a_sent_file_follows_its_check_in_brief(cast: Cast) -> None:
    run = submit_and_check(cast, content=b"nothing\n")
    address = cast.task.url("run_state", tag=run.tag)
    page = signed_in(cast.member).get(f"{address}?attempt=1&brief").content.decode()
    assert "See 1 error of bm25" in page
    assert "hx-get" not in page
    told = f'data-told-of="{cast.team.pk}"'
    assert told in page
    assert "3 of 3 runs left" in page, "a rejected run gives its quota back"
    assert told not in signed_in(cast.organiser).get(f"{address}?attempt=1&brief").content.decode()


# The task's questions


def test_the_questions_are_asked_and_their_answers_shown(cast: Cast) -> None:
    Task.objects.update(questions=QUESTIONS)
    page = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    for question in QUESTIONS:
        assert question["label"] in page
    answer = post_files(cast, files("one"), **ANSWERS)
    run = Run.objects.get()
    assert run.answers == {"model": "bm25", "stage": 2, "dense": False, "use": "title"}
    shown = signed_in(cast.member).get(answer.url).content.decode()
    assert "Dense vectors?" in shown
    assert "<dd>no</dd>" in shown


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"answer_model": ""}, "Answer “Which model?”."),
        ({"answer_dense": "perhaps"}, "Choose one of: yes, no."),
        ({"answer_stage": "nan"}, "Write a number"),
        ({"answer_stage": "two"}, "Write a number"),
        ({"answer_use": "abstract"}, "Choose one of: title, all."),
        ({"answer_model": "x" * 2001}, "at most 2000"),
        ({"answer_model": "a\0b"}, "Null characters"),
    ],
)
def test_a_wrong_answer_is_reported_at_its_field_and_nothing_is_stored(
    cast: Cast, wrong: dict[str, str], message: str
) -> None:
    Task.objects.update(questions=QUESTIONS)
    answer = post_files(cast, files("one"), **{**ANSWERS, **wrong})
    assert answer.status_code == 422
    assert message in answer.content.decode()
    assert 'aria-invalid="true"' in answer.content.decode() or 'class="errorlist"' in answer.content.decode()
    assert not Run.objects.exists()


# Teams, deadlines, agreements


def test_of_two_teams_one_with_a_later_deadline_can_still_upload(cast: Cast) -> None:
    late = make_team("Late", members=(cast.member,), campaign=cast.campaign)
    now = timezone.now()
    Allowance.objects.create(task=cast.task, team=late, closes_at=now + timedelta(hours=1))
    Task.objects.update(closes_at=now - timedelta(seconds=1))
    page = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    assert 'type="file"' in page
    assert f"{cast.team}: The deadline was" in page
    assert f"{cast.team} (closed)" in page
    assert "Late (3 of 3 runs left)" in page
    assert "own deadline" in page
    assert post_files(cast, files("ours")).status_code == 422
    assert post_files(cast, files("ours"), team=late.pk).status_code == 303
    assert stored("team") == [(late.pk,)]


def test_extra_runs_of_a_team_are_taken(cast: Cast) -> None:
    Allowance.objects.create(task=cast.task, team=cast.team, extra_runs=1)
    assert post_files(cast, files("a", "b", "c", "d")).status_code == 303
    assert Run.objects.count() == 4


def test_an_agreement_that_is_not_accepted_keeps_runs_out_and_says_where_to_accept_it(cast: Cast) -> None:
    Agreement.objects.create(campaign=cast.campaign, title="Terms of use", text="Be fair.")
    before = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    assert f"{cast.team} cannot submit runs until" in before
    answer = post_run(cast, run_lines(RANKING, "bm25"))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "yet to accept “Terms of use”" in page
    assert f"/c/{cast.campaign.slug}/register/" in page
    assert not Run.objects.exists()


# Receipt


def test_a_submission_makes_one_mail_its_outcome_with_the_receipt_to_who_submitted(cast: Cast) -> None:
    team = make_team("O'Neil & sons", members=(cast.member,), campaign=cast.campaign)
    post_run(cast, run_lines(RANKING, "bm25"), team=team.pk)
    run = Run.objects.get()
    mail = Mail.objects.get()
    assert mail.subject == "bm25: accepted"
    assert mail.address == cast.member.email
    told = [
        run.sha256,
        f"{run.size} bytes",
        "O'Neil & sons",
        "bm25, attempt 1",
        f"{run.submitted_at:%Y-%m-%d %H:%M:%S} UTC",
        f"{run.submitted_at - timedelta(hours=12):%Y-%m-%d %H:%M:%S} AoE",
    ]
    for words in (*told, run.attempt_url, str(cast.task), str(cast.campaign)):
        assert words in mail.body
    assert "It replaces" not in mail.body


def test_findings_are_counted_and_then_their_lines_wherever_they_are_told(cast: Cast) -> None:
    lines = b"".join(b"1 Q0 %c %d %d other\n" % (97 + n % 3, n, 9 - n) for n in range(3))
    lines += b"2 1 c 1 2 other\n9 Q0 c 1 nan other\n"
    post_run(cast, lines)
    run = Run.objects.get()
    words, short = "1 error, 3 warnings at 7 places", "1 error"
    mail = Mail.objects.get().body
    assert f"The check reported {words}, errors first:" in mail
    assert mail.index("- error") < mail.index("- warning")
    client = signed_in(cast.member)
    for address in (run.get_absolute_url(), cast.task.url("run_list")):
        assert words in " ".join(client.get(address).content.decode().split()), address
    assert f"See {short} of bm25" in " ".join(
        client.get(f"{run.get_absolute_url()}state/?brief").content.decode().split()
    )
    table = client.get(cast.task.url("runs_csv"))
    row = next(csv.DictReader(io.StringIO(b"".join(table.streaming_content).decode("utf-8-sig"))))
    counts = {name: row[name] for name in ("errors", "warnings", "error_findings", "warning_findings")}
    assert counts == {"errors": "1", "warnings": "7", "error_findings": "1", "warning_findings": "3"}


# Replacing


def replace(cast: Cast, content: bytes, tag: str = "bm25", **values: Any) -> Any:
    form = {"team": cast.team.pk, "kind": "automatic", "priority": 1, "file": SimpleUploadedFile("new.txt", content)}
    with TestCase.captureOnCommitCallbacks(execute=True):
        return signed_in(cast.member).post(f"{cast.task.url('run_create')}?replace={tag}", {**form, **values})


def test_the_page_to_replace_a_run_holds_the_details_of_the_old_one(cast: Cast) -> None:
    Task.objects.update(questions=QUESTIONS)
    cast.task.refresh_from_db()
    run = submit_and_check(
        cast, description="k1 = 0.9", kind="manual", priority=4, answers={"model": "q", "dense": True}
    )
    client = signed_in(cast.member)
    assert f"?replace={run.tag}" in client.get(run.get_absolute_url()).content.decode()
    page = client.get(f"{cast.task.url('run_create')}?replace={run.tag}").content.decode()
    for told in ("Replace bm25", "k1 = 0.9", 'value="manual" selected', 'value="4"', "checked"):
        assert told in page, told
    assert 'type="file" name="file" multiple' not in page


def test_the_page_to_replace_a_run_says_which_priority_an_empty_one_means(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "bm25", b"x", state=Run.VALID)
    address = f"{cast.task.url('run_create')}?replace=bm25"
    assert "Empty: that of the run it replaces." in signed_in(cast.member).get(address).content.decode()
    Run.objects.filter(pk=run.pk).update(state=Run.REJECTED)
    assert "Empty: the next after" in signed_in(cast.member).get(address).content.decode()


def test_a_replaced_run_is_withdrawn_and_the_quota_counts_one(cast: Cast) -> None:
    Task.objects.update(max_runs_per_team=1)
    submit_and_check(cast)
    answer = replace(cast, run_lines({"1": ["b"], "2": ["c"]}, "bm25"))
    assert answer.status_code == 303
    assert stored("attempt", "state", "replaces") == [(1, "withdrawn", None), (2, "valid", None)]
    assert AuditEvent.objects.get(verb="submit", object_id=Run.objects.get(attempt=2).pk).data["replaces"] == 1
    assert AuditEvent.objects.filter(verb="replace").count() == 1
    assert "It replaces attempt 1" in Mail.objects.filter(subject="bm25: accepted").latest("pk").body


def test_the_old_run_counts_again_when_the_new_one_is_rejected(cast: Cast) -> None:
    old = submit_and_check(cast)
    answer = replace(cast, b"nothing\n")
    assert stored("attempt", "state", "replaces") == [(1, "valid", None), (2, "rejected", None)]
    assert AuditEvent.objects.filter(verb="restore", object_id=old.pk).exists()
    client = signed_in(cast.member)
    page = client.get(answer.url).content.decode()
    assert 'href="' + old.attempt_url + '">Attempt 1</a> counts' in page
    assert "attempt=1" in page
    by_tag = client.get(old.get_absolute_url())
    assert by_tag.context["run"] == old


def test_a_chain_of_replacements_falls_back_to_the_last_run_that_was_valid(cast: Cast) -> None:
    submit_and_check(cast)
    form = {"team": cast.team.pk, "kind": "automatic", "priority": 1}
    address = f"{cast.task.url('run_create')}?replace=bm25"
    for _ in range(2):  # not checked yet when the next one comes
        file = SimpleUploadedFile("new.txt", b"nothing\n")
        assert signed_in(cast.member).post(address, {**form, "file": file}).status_code == 303
    assert stored("attempt", "state") == [(1, "withdrawn"), (2, "withdrawn"), (3, "received")]
    assert (
        "If the check rejects this run"
        in signed_in(cast.member).get(cast.task.url("run_detail", tag="bm25")).content.decode()
    )
    newest = Run.objects.get(attempt=3)
    assert run_finish_check(run=newest, check=checked_run(newest))
    assert stored("attempt", "state") == [(1, "valid"), (2, "withdrawn"), (3, "rejected")]


def test_a_replacement_that_cannot_be_taken_leaves_the_old_run(cast: Cast) -> None:
    submit_and_check(cast)
    assert replace(cast, b"").status_code == 422
    assert replace(cast, run_lines(RANKING, "bm25"), priority="0").status_code == 422
    Task.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    answer = replace(cast, run_lines(RANKING, "bm25"))
    assert answer.status_code == 422
    assert "The deadline was" in answer.content.decode()
    assert stored("attempt", "state") == [(1, "valid")]


def test_a_replacement_by_the_very_same_bytes_is_refused_and_the_old_run_goes_on_counting(cast: Cast) -> None:
    submit_and_check(cast)
    answer = replace(cast, run_lines(RANKING, "bm25"))
    assert answer.status_code == 422
    assert "the very same bytes as the run bm25" in answer.content.decode()
    assert stored("attempt", "state") == [(1, "valid")]
    assert not AuditEvent.objects.filter(verb="replace").exists()


def test_a_rejected_run_is_uploaded_again_through_the_same_page(cast: Cast) -> None:
    submit_and_check(cast, content=b"nothing\n")
    page = signed_in(cast.member).get(f"{cast.task.url('run_create')}?replace=bm25").content.decode()
    assert "Upload bm25 again" in page
    assert replace(cast, run_lines(RANKING, "bm25")).status_code == 303
    assert stored("attempt", "state") == [(1, "rejected"), (2, "valid")]


def test_two_files_cannot_replace_one_run(cast: Cast) -> None:
    submit_and_check(cast)
    answer = replace(cast, b"", file=files("one", "two"))
    assert answer.status_code == 422
    assert "one file" in answer.content.decode()
    assert stored("attempt", "state") == [(1, "valid")]


@pytest.mark.parametrize("tag", ["theirs", "nothing", "..", "a%00b"])
def test_a_run_that_is_not_the_own_teams_cannot_be_replaced(cast: Cast, tag: str) -> None:
    submit_and_check(cast, "theirs", team=cast.other_team, actor=cast.other_member)
    address = f"{cast.task.url('run_create')}?replace={tag}"
    assert signed_in(cast.member).get(address).status_code in (400, 404)
    assert replace(cast, run_lines(RANKING, "theirs"), tag=tag).status_code in (400, 404)
    assert stored("tag", "state") == [("theirs", "valid")]


def test_an_organiser_without_the_team_cannot_replace_its_run(cast: Cast) -> None:
    submit_and_check(cast)
    make_team("Organisers", members=(cast.organiser,), campaign=cast.campaign)
    client = signed_in(cast.organiser)
    assert "?replace=" not in client.get(cast.task.url("run_detail", tag="bm25")).content.decode()
    assert client.get(f"{cast.task.url('run_create')}?replace=bm25").status_code == 404


# Editing the details


def edit(cast: Cast, user: Any = None, **values: Any) -> Any:
    form = {"kind": "manual", "priority": 9, "description": "by hand", **values}
    return signed_in(user or cast.member).post(cast.task.url("run_edit", tag="bm25"), form)


def test_the_details_of_a_run_can_be_changed_and_the_change_is_audited(cast: Cast) -> None:
    Task.objects.update(questions=QUESTIONS)
    cast.task.refresh_from_db()
    run = submit_and_check(cast, answers={"model": "q", "dense": True})
    assert edit(cast, **ANSWERS).status_code == 302
    run.refresh_from_db()
    assert (run.kind, run.priority, run.description) == ("manual", 9, "by hand")
    assert run.answers == {"model": "bm25", "stage": 2, "dense": False, "use": "title"}
    changes = AuditEvent.objects.get(verb="edit").data["changes"]
    assert changes["priority"] == ["1", "9"]
    assert set(changes) == {"kind", "priority", "description", "answers"}
    assert edit(cast, **ANSWERS).status_code == 302
    assert AuditEvent.objects.filter(verb="edit").count() == 1


def test_after_the_deadline_only_an_organiser_changes_the_details(cast: Cast) -> None:
    run = submit_and_check(cast)
    Task.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    assert edit(cast).url == run.attempt_url
    run.refresh_from_db()
    assert run.kind == "automatic"
    edit(cast, cast.organiser)
    run.refresh_from_db()
    assert run.kind == "manual"


def test_nobody_else_edits_a_run(cast: Cast) -> None:
    submit_and_check(cast)
    for user in (cast.other_member, cast.stranger, cast.assessor):
        assert edit(cast, user).status_code == 404


def test_a_wrong_entry_is_reported_and_nothing_is_changed(cast: Cast) -> None:
    run = submit_and_check(cast)
    answer = edit(cast, priority="1000")
    assert answer.status_code == 422
    run.refresh_from_db()
    assert run.priority == 1


# Metadata of the file


def test_the_metadata_of_the_file_are_shown_as_a_nested_list(cast: Cast) -> None:
    run = submit_and_check(cast)
    Run.objects.update(metadata={"actor": {"team": "<b>"}, "data": [1, True]}, metadata_problem="")
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "Metadata of the file" in page
    assert "&lt;b&gt;" in page
    Run.objects.update(metadata={}, metadata_problem="The metadata are no YAML.")
    assert "The metadata are no YAML." in signed_in(cast.member).get(run.get_absolute_url()).content.decode()


def test_a_second_member_is_the_one_who_gets_the_receipt_of_the_own_upload(cast: Cast) -> None:
    second = make_user()
    cast.team.memberships.create(user=second)
    post_run(cast, run_lines(RANKING, "bm25"), user=second)
    assert Run.objects.get().submitted_by == second
    assert Mail.objects.filter(recipient=second).exists()
    assert Job.objects.filter(state=Job.FAILED).count() == 0
