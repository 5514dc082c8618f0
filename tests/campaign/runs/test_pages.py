from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.models import Job, Run, Task
from tests.campaign.runs.makers import make_ready_cast, post_run, signed_in, submit, submit_and_check
from tests.factories import Cast, make_received_run, make_team, make_user, run_lines

READ_PAGES = ["run_detail", "run_state", "run_withdraw", "run_download"]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=2)


def people(cast: Cast) -> dict[str, Client]:
    names = ("organiser", "assessor", "member", "other_member", "stranger")
    return {**{name: signed_in(getattr(cast, name)) for name in names}, "anonymous": signed_in(None)}


def expect(cast: Cast, address: str, **statuses: int) -> None:
    answers = {name: client.get(address) for name, client in people(cast).items()}
    for answer in answers.values():
        if answer.streaming:
            b"".join(answer)  # read to its end, or the file stays open
    assert {name: answer.status_code for name, answer in answers.items()} == statuses


@pytest.mark.parametrize("page", READ_PAGES)
def test_a_run_is_its_teams_and_the_organisers_alone(cast: Cast, page: str) -> None:
    run = submit_and_check(cast)
    address = cast.task.url(page, tag=run.tag)
    expect(cast, address, organiser=200, assessor=404, member=200, other_member=404, stranger=404, anonymous=302)


def test_the_list_is_for_organisers_and_participants(cast: Cast) -> None:
    address = cast.task.url("run_list")
    expect(cast, address, organiser=200, assessor=403, member=200, other_member=200, stranger=404, anonymous=302)


def test_the_upload_page_is_for_members_of_registered_teams_and_leads_others_to_registering(cast: Cast) -> None:
    address = cast.task.url("run_create")
    expect(cast, address, organiser=302, assessor=302, member=200, other_member=200, stranger=302, anonymous=302)
    answer = signed_in(cast.stranger).get(address)
    assert answer.url == f"/c/{cast.campaign.slug}/register/"


def test_nobody_but_team_and_organisers_can_withdraw(cast: Cast) -> None:
    run = submit_and_check(cast)
    address = cast.task.url("run_withdraw", tag=run.tag)
    statuses = {name: client.post(address).status_code for name, client in people(cast).items() if name != "member"}
    run.refresh_from_db()
    assert statuses == {"organiser": 302, "assessor": 404, "other_member": 404, "stranger": 404, "anonymous": 302}
    assert run.state == Run.WITHDRAWN


def test_only_an_organiser_can_have_a_run_checked_again(cast: Cast) -> None:
    run = submit_and_check(cast)
    address = cast.task.url("run_recheck", tag=run.tag)
    statuses = {name: client.post(address).status_code for name, client in people(cast).items()}
    assert statuses == {
        "organiser": 302, "assessor": 404, "member": 403, "other_member": 404, "stranger": 404, "anonymous": 302,
    }  # fmt: skip
    run.refresh_from_db()
    assert run.state == Run.RECEIVED


def test_a_run_of_a_task_in_set_up_is_hidden_from_its_team(cast: Cast) -> None:
    run = submit_and_check(cast)
    Task.objects.update(phase=Task.SETUP)
    assert signed_in(cast.member).get(run.get_absolute_url()).status_code == 404


def test_a_member_sees_only_the_own_teams_runs_and_the_quota(cast: Cast) -> None:
    submit_and_check(cast, "ours")
    submit_and_check(cast, "theirs", team=cast.other_team, actor=cast.other_member)
    page = signed_in(cast.member).get(cast.task.url("run_list")).content.decode()
    assert "ours" in page
    assert "theirs" not in page
    assert cast.other_team.name not in page
    assert "1 of 2 runs used, 1 left" in page


def test_an_organiser_filters_and_sorts_the_runs_by_the_address(cast: Cast) -> None:
    submit_and_check(cast, "bb")
    submit_and_check(cast, "aa", b"nothing\n")
    submit_and_check(cast, "cc", team=cast.other_team, actor=cast.other_member)

    def tags(query: str) -> list[str]:
        answer = signed_in(cast.organiser).get(cast.task.url("run_list") + query)
        return [run.tag for run in answer.context["page"]]

    assert tags("") == ["cc", "aa", "bb"]
    assert tags("?sort=tag") == ["aa", "bb", "cc"]
    assert tags("?sort=-tag") == ["cc", "bb", "aa"]
    assert tags("?sort=-team") == ["cc", "aa", "bb"]
    assert tags("?sort=time") == ["bb", "aa", "cc"]
    assert tags("?state=rejected") == ["aa"]
    assert tags(f"?team={cast.other_team.slug}&state=valid") == ["cc"]
    assert tags("?sort=password&state=magic&team=nobody&page=99") == ["cc", "aa", "bb"]


def test_the_upload_page_says_the_rules(cast: Cast) -> None:
    page = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    for told in ("2 of 2 runs left", "at most 1,000 for a topic", "A-Za-z0-9", "must be in the collection", "AoE"):
        assert told in page


def test_a_member_of_two_registered_teams_chooses_and_one_of_one_does_not(cast: Cast) -> None:
    address = cast.task.url("run_create")
    assert '<select name="team"' not in signed_in(cast.member).get(address).content.decode()
    make_team("Second", members=(cast.member,), campaign=cast.campaign)
    assert '<select name="team"' in signed_in(cast.member).get(address).content.decode()


def test_after_the_deadline_the_upload_page_says_so_and_takes_nothing(cast: Cast) -> None:
    Task.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    page = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    assert "The deadline was" in page
    assert 'type="file"' not in page
    answer = post_run(cast, b"1 Q0 a 1 1.0 bm25\n")
    assert answer.status_code == 422
    assert not Run.objects.exists()


def test_a_team_whose_quota_is_used_up_is_told_before_it_chooses_a_file(cast: Cast) -> None:
    run = submit_and_check(cast, "one")
    submit_and_check(cast, "two")
    client = signed_in(cast.member)
    page = client.get(cast.task.url("run_create")).content.decode()
    assert f"{cast.team} has used up its quota, 2 of 2 runs." in page
    assert 'type="file"' not in page
    assert post_run(cast, b"1 Q0 a 1 1.0 bm25\n").status_code == 422
    client.post(cast.task.url("run_withdraw", tag=run.tag))
    assert 'type="file"' in client.get(cast.task.url("run_create")).content.decode()


def test_the_deadline_keeps_the_team_from_withdrawing_on_the_page(cast: Cast) -> None:
    run = submit_and_check(cast)
    Task.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    client = signed_in(cast.member)
    assert "Withdraw" not in client.get(run.get_absolute_url()).content.decode()
    for send in (client.get, client.post):
        answer = send(cast.task.url("run_withdraw", tag=run.tag), follow=True)
        assert answer.redirect_chain
        assert "ask an organiser" in answer.content.decode()
    run.refresh_from_db()
    assert run.state == Run.VALID


def test_a_withdrawal_asks_first_and_then_does_it(cast: Cast) -> None:
    run = submit_and_check(cast)
    client = signed_in(cast.member)
    address = cast.task.url("run_withdraw", tag=run.tag)
    assert "You cannot undo this" in client.get(address).content.decode()
    run.refresh_from_db()
    assert run.state == Run.VALID
    assert "is withdrawn" in client.post(address, follow=True).content.decode()


def test_the_run_page_shows_the_receipt_the_facts_and_where_the_scores_come(cast: Cast) -> None:
    run = submit_and_check(cast, description="k1 = 0.9 <script>")
    page = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    for told in (run.sha256, f"{run.size} bytes", "2 of 2", str(cast.member), "k1 = 0.9 &lt;script&gt;"):
        assert told in page
    assert f'hx-get="{cast.task.url("run_scores", tag=run.tag)}"' in page


def test_an_unfinished_run_polls_with_its_place_and_a_finished_one_does_not(cast: Cast) -> None:
    submit(cast, "one")
    run = submit(cast, "two")
    client = signed_in(cast.member)
    address = cast.task.url("run_state", tag=run.tag)
    waiting = client.get(address).content.decode()
    assert "number 2 in the queue" in waiting  # mails wait elsewhere
    assert f'hx-get="{address}' in waiting
    asked = {"headers": {"hx-request": "true"}}
    assert (
        "hx-swap-oob" not in client.get(address, **asked).content.decode()
    )  # waiting is not announced again and again
    assert client.get(f"{address}?brief", **asked).status_code == 204
    Run.objects.update(state=Run.VALID)
    decided = client.get(address, **asked)
    assert 'hx-trigger="every' not in decided.content.decode()
    assert decided["HX-Reselect"] == "#main"  # the buttons of the page change with the outcome
    announced = decided.content.decode().partition('hx-swap-oob="innerHTML:#announcement">')[2]
    assert announced.startswith("The check has ended. two is valid: 0 errors, 0 warnings.</div>")
    assert "hx-swap-oob" not in client.get(address).content.decode()


def test_a_check_that_failed_says_so_and_offers_the_organiser_another(cast: Cast) -> None:
    run = submit(cast)
    Job.objects.update(state=Job.FAILED, message="Given up after 5 attempts: its worker stopped each time.")
    member = signed_in(cast.member).get(run.get_absolute_url()).content.decode()
    assert "Given up after 5 attempts" in member
    assert 'hx-trigger="every' not in member
    assert "Check again" not in member
    assert "Check again" in signed_in(cast.organiser).get(run.get_absolute_url()).content.decode()


def test_a_run_whose_job_is_lost_altogether_says_so(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "lost", b"1 Q0 a 1 1.0 lost\n")
    assert "check failed" in signed_in(cast.organiser).get(cast.task.url("run_list")).content.decode()
    assert "Not checked" in signed_in(cast.member).get(run.get_absolute_url()).content.decode()


def test_the_download_is_the_original_bytes_as_an_attachment(cast: Cast) -> None:
    content = run_lines({"1": ["b", "a"]}, "bm25") + b"\r\n"
    run = submit_and_check(cast, content=content)
    answer = signed_in(cast.member).get(cast.task.url("run_download", tag=run.tag))
    assert b"".join(answer.streaming_content) == content
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="bm25.txt"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_file_that_the_storage_lost_is_reported_and_no_error_page(cast: Cast) -> None:
    run = submit_and_check(cast)
    run.file.storage.delete(run.file.name)
    answer = signed_in(cast.member).get(cast.task.url("run_download", tag=run.tag), follow=True)
    assert answer.status_code == 200
    assert f"The stored file {run.file.name} is missing" in answer.content.decode()


def test_withdrawing_a_replacement_that_waits_says_that_the_earlier_attempt_stays_away(cast: Cast) -> None:
    submit_and_check(cast)
    submit(cast, content=b"second\n", replace=True)
    page = signed_in(cast.member).get(cast.task.url("run_withdraw", tag="bm25"))
    assert "Attempt 1, which it replaced, does not come back." in page.content.decode()


def test_earlier_attempts_are_listed_and_each_has_its_own_page_and_file(cast: Cast) -> None:
    submit_and_check(cast, content=b"first\n")
    second = submit_and_check(cast)
    client = signed_in(cast.member)
    page = client.get(second.get_absolute_url()).content.decode()
    assert "Attempt 1" in page
    answer = client.get(cast.task.url("run_download", tag="bm25") + "?attempt=1")
    assert b"".join(answer.streaming_content) == b"first\n"
    for attempt in ("0", "3", "x", "²", "9" * 40):
        assert client.get(second.get_absolute_url(), {"attempt": attempt}).status_code == 404


def test_a_tag_that_two_teams_used_shows_each_its_own_attempt(cast: Cast) -> None:
    submit_and_check(cast, content=b"mine\n")
    submit_and_check(cast, team=cast.other_team, actor=cast.other_member)
    mine = signed_in(cast.member).get(cast.task.url("run_detail", tag="bm25"))
    assert mine.context["run"].team == cast.team
    assert signed_in(cast.member).get(cast.task.url("run_detail", tag="bm25"), {"attempt": 2}).status_code == 404
    theirs = signed_in(cast.organiser).get(cast.task.url("run_detail", tag="bm25"))
    assert theirs.context["run"].team == cast.other_team


def test_a_second_member_sees_what_the_first_one_sent(cast: Cast) -> None:
    run = submit_and_check(cast)
    second = make_user()
    cast.team.memberships.create(user=second)
    assert signed_in(second).get(run.get_absolute_url()).status_code == 200


def test_the_list_of_runs_needs_no_query_for_each_run(cast: Cast) -> None:
    client = signed_in(cast.organiser)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(cast.task.url("run_list"))
        return len(captured)

    submit(cast, "one")
    few = queries()
    for team_number in range(5):
        member = make_user()
        team = make_team(members=(member,), campaign=cast.campaign)
        submit(cast, f"more{team_number}", team=team, actor=member)
    assert queries() == few


def test_the_upload_page_leads_to_the_guidelines(cast: Cast) -> None:
    Task.objects.filter(pk=cast.task.pk).update(guidelines="Upload [an example](/example.txt) first.")
    page = signed_in(cast.member).get(cast.task.url("run_create")).content.decode()
    assert f'href="{cast.task.get_absolute_url()}#guidelines"' in page
