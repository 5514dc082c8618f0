"""Publishing by the page: the first press says what follows, the second does just that, or says what has changed since."""

import json
from collections.abc import Callable
from functools import partial
from html import escape, unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.signing import dumps
from django.test import Client
from django.utils import timezone

from campaign.models import AuditEvent, Job, Mail, Run, Task, User
from campaign.models.mail import RESULTS
from campaign.queue.jobs import GONE, JobFailed, do_job
from campaign.queue.locks import STALE_AFTER
from campaign.runs.services.submission import run_withdraw
from campaign.setup.services.tasks import task_update
from evaluation.analysis.reliability.selectors import REPORT_OF_LEADERBOARD
from evaluation.boards.audiences import AUDIENCES
from evaluation.boards.snapshot import digest
from evaluation.models import Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors import publication_effects
from evaluation.selectors.audiences import audience_problem
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.selectors.score_visibility import why_no_live_board
from evaluation.selectors.snapshots import published_file
from evaluation.services import leaderboards, publication_requests
from evaluation.services.feedback import feedback_set
from evaluation.services.leaderboards import draft_written, leaderboard_publish
from evaluation.services.ranked_runs import naming_problem
from evaluation.services.scoring import scores_request
from evaluation.views.publishing import LOST, READ
from tests.evaluation.makers import confirm_publication, confirmation_of, make_qrels, make_valid_run
from tests.factories import Cast, make_topics, make_user

pytestmark = pytest.mark.django_db
Commit = Callable[..., Any]
GRADES = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"x": 0, "y": 1}, "3": {"z": 1}}
HOSTILE = "</dd><script>alert(1)</script>\u202e & \"'"


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Commit) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    cast.task.measures = ["AP", "Judged@10"]
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "good", {"1": ["a", "c"], "2": ["y"], "3": ["z"]})
    make_valid_run(cast.task, cast.other_team, "poor", {"1": ["b", "a"]})
    score(cast, django_capture_on_commit_callbacks)
    return cast


def score(cast: Cast, commit: Commit) -> None:
    with commit(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def text_of(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def choices(audience: str = "public", note: str = "First.") -> dict[str, Any]:
    return {"audience": audience, "note": note, "licence": "CC-BY-4.0", "terms": "Cite us."}


def lines_of(cast: Cast, audience: str) -> dict[str, str]:
    task = Task.objects.get(pk=cast.task.pk)
    said = publication_effects.publication_said(cast.organiser, task, "", audience)
    return {one.subject: " ".join([*one.lines, *one.names]) for one in said}


def test_the_confirmation_says_what_becomes_of_earlier_boards_and_a_team_finds_the_whole_one(scored: Cast) -> None:
    task = Task.objects.get(pk=scored.task.pk)
    assert "Earlier leaderboards" not in lines_of(scored, "participants")
    leaderboard_publish(actor=scored.organiser, task=task, audience="participants")
    own = client_of(scored.member).get(Leaderboard.objects.get().get_absolute_url())
    assert "are shown when the organisers publish the leaderboard to everybody" in text_of(own)
    leaderboard_publish(actor=scored.organiser, task=task, audience="public")
    leaderboard_publish(actor=scored.organiser, task=task, audience="participants")
    assert lines_of(scored, "participants")["Earlier leaderboards"] == (
        "Leaderboard 3 stays as it is, for participants, each team its own scores. Leaderboard 2 stays as it is, for everybody. "
        "Leaderboard 1 stays as it is, for participants, each team its own scores."
    )
    newest = Leaderboard.objects.get(number=3)
    said = text_of(client_of(scored.member).get(newest.get_absolute_url()))
    assert f'<a href="{Leaderboard.objects.get(number=2).get_absolute_url()}">leaderboard 2</a>' in said
    assert "when the organisers publish the leaderboard to everybody" not in said
    leaderboard_publish(actor=scored.organiser, task=task, audience="public")
    assert lines_of(scored, "public")["Earlier leaderboards"].endswith("1 older leaderboard stays as well.")


def test_the_first_press_publishes_nothing_and_says_what_the_second_does(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    asked = client.post(url, choices())
    said = text_of(asked)
    assert not Leaderboard.objects.exists()
    for sentence in (
        f"Leaderboard 1 of the task {scored.task}, by qrels v1.",
        "2 runs of 2 teams, ranked.</p>",
        "good, poor",
        "2 measures, over 3 topics.",
        "AP, Judged@10",
        "Tests: step-down max-T test, all pairs of runs.",
        "Run tags and team names are shown to everybody who sees the leaderboard.",
        "You cannot change or withdraw the leaderboard.",
        "of the first 10 documents of a run.",
        "CC BY 4.0: use with credit",
        "Cite us.",
        "Publish leaderboard 1</button>",
    ):
        assert sentence in said, sentence
    answer = client.post(url, confirmation_of(asked, choices()))
    published = Leaderboard.objects.get()
    assert answer["Location"] == published.get_absolute_url()
    kept = (published.number, published.audience, published.note, published.licence, published.terms)
    assert kept == (1, "public", "First.", "CC-BY-4.0", "Cite us.")
    assert sorted(published.run_ids) == sorted(Run.objects.values_list("pk", flat=True))


def test_change_keeps_all_that_was_filled_in(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    sent = choices("anonymous", "Two\nlines & <b>signs</b>.")
    asked = client.post(url, sent)
    page = client.post(url, {**confirmation_of(asked, sent), "change": "1"}).content.decode()
    assert 'value="anonymous" required checked' in page
    assert page.count(" checked") == 1
    assert escape(sent["note"]) in page
    assert 'value="CC-BY-4.0" selected' in page
    assert "Cite us." in page
    assert 'role="alert"' not in page
    assert not Leaderboard.objects.exists()


@pytest.mark.parametrize("missing", [{"audience": ""}, {"audience": "nobody"}, {"note": "\0"}, {"licence": "none"}])
def test_choices_that_cannot_be_are_asked_for_again_and_never_confirmed(scored: Cast, missing: dict[str, str]) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    for pressed in ({}, {"confirmed": "1"}):
        answer = client.post(url, choices() | missing | pressed)
        assert 'role="alert"' in answer.content.decode()
        assert "Publish leaderboard" not in answer.content.decode()
    assert not Leaderboard.objects.exists()


def test_a_run_that_is_gone_since_is_named_and_the_board_is_asked_for_again(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    read = client.post(url, choices())
    with django_capture_on_commit_callbacks(execute=True):
        run_withdraw(actor=scored.organiser, run=Run.objects.get(tag="poor"))
    again = client.post(url, confirmation_of(read, choices()))
    assert "Runs: gone poor." in text_of(again)
    assert "Runs, now: 1 run of 1 team, ranked." in text_of(again)
    assert not Leaderboard.objects.exists()
    assert client.post(url, confirmation_of(again, choices())).status_code == 302
    assert len(Leaderboard.objects.get().run_ids) == 1


def test_newer_qrels_another_leaderboard_and_scores_computed_anew_are_named(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    asked = client.post(url, choices())
    Evaluation.objects.all().delete()
    score(scored, django_capture_on_commit_callbacks)
    asked = client.post(url, confirmation_of(asked, choices()))
    assert asked.context["changes"] == [publication_effects.ANEW]
    make_qrels(scored.task, {**GRADES, "3": {"z": 2}}, scored.organiser)
    score(scored, django_capture_on_commit_callbacks)
    asked = client.post(url, confirmation_of(asked, choices()))
    assert asked.context["changes"][0] == f"Leaderboard, now: Leaderboard 1 of the task {scored.task}, by qrels v2."
    assert not Leaderboard.objects.exists()
    leaderboard_publish(actor=scored.organiser, task=scored.task, audience="participants")
    asked = client.post(url, confirmation_of(asked, choices()))
    assert f"Leaderboard, now: Leaderboard 2 of the task {scored.task}, by qrels v2." in text_of(asked)
    assert Leaderboard.objects.count() == 1
    assert client.post(url, confirmation_of(asked, choices())).status_code == 302
    assert Leaderboard.objects.count() == 2


def test_a_consequence_that_is_another_since_is_asked_for_again(scored: Cast) -> None:
    """Not a part of the board itself: its mark stays."""
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    asked = client.post(url, choices())
    task_update(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk), scores_shown=Task.LIVE)
    again = client.post(url, confirmation_of(asked, choices()))
    assert f"What follows, now: {publication_effects.LIVE_BOARD_ENDS}" in text_of(again)
    assert again.context["mark"] == asked.context["mark"]
    assert not Leaderboard.objects.exists()


def test_a_registration_in_between_does_not_stop_the_publication(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    asked = client.post(url, choices())
    before = lines_of(scored, "public")["Notices"]
    scored.team.memberships.create(user=make_user("late"))
    assert lines_of(scored, "public")["Notices"] != before
    assert client.post(url, confirmation_of(asked, choices())).status_code == 302


def test_a_second_press_of_the_same_confirmation_leads_to_the_leaderboard_of_the_first(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    sent = confirmation_of(client.post(url, choices()), choices())
    assert [client.post(url, sent)["Location"] for _ in range(2)] == [Leaderboard.objects.get().get_absolute_url()] * 2


def test_what_cannot_be_published_meanwhile_keeps_what_was_written(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    sent = choices("anonymous", "A long note.")
    asked = client.post(url, sent)
    Task.objects.filter(pk=scored.task.pk).update(measures=["AP", "P@5"])
    page = text_of(client.post(url, confirmation_of(asked, sent)))
    assert "are not scored yet" in page
    assert '<input type="hidden" name="note" value="A long note."' in page
    assert "Look again" in page
    Task.objects.filter(pk=scored.task.pk).update(measures=["AP", "Judged@10"])
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    page = text_of(client.post(url, confirmation_of(asked, sent)))
    assert "Leaderboard 1 names the runs publicly" in page
    assert "A long note." in page
    assert Leaderboard.objects.count() == 1


@pytest.mark.parametrize("role", ["anonymous", "stranger", "member", "assessor"])
def test_whoever_does_not_organise_the_task_publishes_nothing(scored: Cast, role: str) -> None:
    url = scored.task.url("leaderboard_publish")
    sent = confirmation_of(client_of(scored.organiser).post(url, choices()), choices())
    user = {"anonymous": None, "stranger": make_user("stranger"), "member": scored.member, "assessor": scored.assessor}
    answer = client_of(user[role]).post(url, sent)
    assert answer.status_code in (302, 403, 404)
    assert not Leaderboard.objects.exists()


def test_texts_of_users_are_texts_on_the_confirmation(scored: Cast) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    sent = choices(note=HOSTILE) | {"terms": HOSTILE}
    page = client.post(url, sent).content.decode()
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4, "shown, and in the hidden entries"


@pytest.mark.parametrize("read", ["", "x", dumps({"Runs": [[HOSTILE], []]}, salt="another"), "\0" * 20])
def test_what_this_site_did_not_say_is_no_confirmation_and_is_not_shown(scored: Cast, read: str) -> None:
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    asked = client.post(url, choices())
    answer = client.post(url, confirmation_of(asked, choices()) | {"read": read})
    assert LOST in text_of(answer)
    assert "<script>alert" not in answer.content.decode()
    assert not Leaderboard.objects.exists()
    shown = text_of(
        client.post(url, confirmation_of(asked, choices()) | {"read": dumps({"Runs": [["9."], ["x"]]}, salt=READ)})
    )
    assert "Runs, no longer: 9." in shown


@pytest.mark.parametrize("audience", AUDIENCES)
def test_as_many_get_the_mail_as_the_confirmation_says(
    scored: Cast, audience: str, django_capture_on_commit_callbacks: Commit
) -> None:
    for user in (scored.member, scored.assessor, scored.organiser):
        User.objects.filter(pk=user.pk).update(email=f"{user.username}@example.org")
    url, client = scored.task.url("leaderboard_publish"), client_of(scored.organiser)
    said = lines_of(scored, audience)["Notices"]
    with django_capture_on_commit_callbacks(execute=True):
        confirm_publication(client, url, choices(audience))
    mailed = Mail.objects.filter(kind=RESULTS).count()
    assert mailed > 0
    assert f"{mailed} {'person gets' if mailed == 1 else 'people get'} it by mail." in said
    assert ("the teams with runs" if audience == "participants" else "everybody") in said


def test_nobody_gets_a_notice_of_a_campaign_that_is_a_draft(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    type(scored.campaign).objects.filter(pk=scored.campaign.pk).update(opened_at=None)
    assert lines_of(scored, "public")["Notices"] == publication_effects.NOBODY_TOLD
    with django_capture_on_commit_callbacks(execute=True):
        confirm_publication(client_of(scored.organiser), scored.task.url("leaderboard_publish"), choices())
    assert Leaderboard.objects.count() == 1
    assert not Mail.objects.filter(kind=RESULTS).exists()


@pytest.mark.parametrize("audience", AUDIENCES)
def test_names_are_shown_to_whom_the_confirmation_says(scored: Cast, audience: str) -> None:
    said = lines_of(scored, audience)["Names"]
    confirm_publication(client_of(scored.organiser), scored.task.url("leaderboard_publish"), choices(audience))
    board = Leaderboard.objects.get().get_absolute_url()
    readers = {"everybody": client_of(None).get(board), "team": client_of(scored.member).get(board)}
    sees = {
        who: {tag for tag in ("good", "poor") if f">{tag}<" in answer.content.decode()}
        for who, answer in readers.items()
    }
    if audience == "public":
        assert said == "Run tags and team names are shown to everybody who sees the leaderboard."
        assert sees == {"everybody": {"good", "poor"}, "team": {"good", "poor"}}
    elif audience == "anonymous":
        assert said.startswith("Pseudonyms stand in the place of run tags and team names.")
        assert sees["everybody"] == set()
        assert scored.other_team.name not in text_of(readers["team"])
    else:
        assert "No team sees the tags or the names of others." in said
        assert readers["everybody"].status_code == 404
        assert sees["team"] == {"good"}


def test_what_cannot_change_any_more_is_refused_afterwards(scored: Cast) -> None:
    said = lines_of(scored, "public")["For good"]
    assert "Topics for feedback, and which runs their teams leave out of the ranking, cannot change any more." in said
    assert "no leaderboard without names can follow." in said
    leaderboard_publish(actor=scored.organiser, task=scored.task, audience="public")
    task = Task.objects.get(pk=scored.task.pk)
    with pytest.raises(ValidationError, match="published"):
        feedback_set(actor=scored.organiser, task=task, topics=["1"], is_confirmed=True)
    assert "published" in naming_problem(Run.objects.get(tag="good"))
    assert audience_problem(task, "anonymous")
    assert "cannot change any more" not in lines_of(scored, "public")["For good"], "it could not before either"


def test_without_names_no_live_board_can_be_chosen_afterwards(scored: Cast) -> None:
    assert "No live board of the task can be chosen any more." in lines_of(scored, "anonymous")["For good"]
    leaderboard_publish(actor=scored.organiser, task=scored.task, audience="anonymous")
    with pytest.raises(ValidationError, match="live board"):
        task_update(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk), scores_shown=Task.LIVE)


@pytest.mark.parametrize("kind", [Task.TEST, Task.DEVELOPMENT])
def test_the_live_board_ends_where_the_confirmation_says_so(scored: Cast, kind: str) -> None:
    Task.objects.filter(pk=scored.task.pk).update(scores_shown=Task.LIVE, round_kind=kind)
    ends = publication_effects.LIVE_BOARD_ENDS in lines_of(scored, "public").get("What follows", "")
    assert publication_effects.LIVE_BOARD_ENDS not in lines_of(scored, "participants").get("What follows", "")
    leaderboard_publish(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    assert ends == (kind == Task.TEST) == bool(why_no_live_board(Task.objects.get(pk=scored.task.pk)))


def test_runs_that_never_rank_are_named_below_and_without_names_only_the_organiser_reads_their_tags(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    Run.objects.filter(tag="poor").update(after_qrels=True)
    score(scored, django_capture_on_commit_callbacks)
    assert "Listed below them, and never ranked: poor (after the qrels" in lines_of(scored, "public")["Runs"]
    assert "Listed below them, without names, and never ranked: poor" in lines_of(scored, "anonymous")["Runs"]
    assert "never ranked" not in lines_of(scored, "participants")["Runs"]


def test_a_warning_names_topics_and_measures_that_tell_little(
    scored: Cast, django_capture_on_commit_callbacks: Commit
) -> None:
    Task.objects.filter(pk=scored.task.pk).update(measures=["AP"])
    make_qrels(scored.task, {**GRADES, "3": {"z": 0}}, scored.organiser)
    score(scored, django_capture_on_commit_callbacks)
    said = lines_of(scored, "public")["Warnings"]
    assert "Topics without a relevant document, which are scored: 3 (no relevant document among 1 judged)." in said
    assert "No measure tells how much of each run is judged." in said
    assert WorkingBoard.objects.count() == 1


def as_a_job(scored: Cast, monkeypatch: pytest.MonkeyPatch, audience: str = "public") -> tuple[Client, Job]:
    """Two organisers' presses of the same confirmation of a board that is too large for a request, before a worker takes it."""
    monkeypatch.setattr(publication_requests, "MOST_VALUES_AT_ONCE", 5)
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    sent = confirmation_of(client.post(url, choices(audience)), choices(audience))
    assert [client.post(url, sent)["Location"] for _ in range(2)] == [url] * 2
    assert not Leaderboard.objects.exists()
    return client, Job.objects.get(name=publication_effects.PUBLISH)


def done(job: Job) -> Job:
    do_job.apply(kwargs={"job_id": job.pk})
    job.refresh_from_db()
    return job


def test_a_large_board_is_published_by_a_job_exactly_once_whenever_its_worker_dies(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, job = as_a_job(scored, monkeypatch)
    assert "poor" not in json.dumps(job.arguments), "sent again, it would stand in the log"
    url = scored.task.url("leaderboard_publish")
    page, progress = client.get(url), client.get(url, headers={"HX-Request": "true"})
    assert "Publishing the leaderboard" in text_of(page)
    assert 'name="audience"' not in page.content.decode()
    assert ("HX-Redirect" in progress, text_of(progress) in text_of(page)) == (False, True)

    def die(*_: object, **__: object) -> None:
        raise SystemExit

    for dies_at in (
        (leaderboards, "store"),
        (leaderboards, "audit"),
        (leaderboards, "enqueue"),
        (publication_requests, "write_end"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(*dies_at, die)
            with pytest.raises(SystemExit):
                done(job)
        assert (Leaderboard.objects.count(), AuditEvent.objects.filter(verb="publish").count()) == (0, 0)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - 2 * STALE_AFTER, started_at=None)
    assert done(job).state == Job.DONE
    assert Job.objects.filter(name__in=[leaderboards.MAIL_LEADERBOARD, REPORT_OF_LEADERBOARD]).count() == 2
    board = Leaderboard.objects.get()
    assert job.message == "Leaderboard 1 is published for everybody."
    assert client.get(url, headers={"HX-Request": "true"})["HX-Redirect"] == board.get_absolute_url()
    assert text_of(client.get(board.get_absolute_url())).count(job.message) == 1
    assert Terms(board.note, board.licence, board.terms) == Terms(
        **{k: v for k, v in choices().items() if k != "audience"}
    )
    assert digest(json.loads(published_file(board, "json"))) == board.sha256
    again = partial(
        publication_requests.publication_do, actor=scored.organiser, task=scored.task, asked=job.arguments["asked"]
    )
    with pytest.raises(JobFailed):  # a worker that was taken for dead, and goes on
        again(job_id=job.pk, report=lambda *_: None)
    leaderboard_publish(actor=scored.organiser, task=scored.task, audience="participants")
    with pytest.raises(JobFailed, match="a board was published"):
        again(job_id=job.pk, report=lambda *_: None)
    done(job)
    assert Leaderboard.objects.filter(audience="public").count() == 1


def a_run_is_withdrawn(cast: Cast) -> None:
    run_withdraw(actor=cast.organiser, run=Run.objects.get(tag="poor"))


def qrels_are_newer(cast: Cast) -> None:
    make_qrels(cast.task, {**GRADES, "3": {"z": 2}}, cast.organiser)
    scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))


def another_board_is_published(cast: Cast) -> None:
    leaderboard_publish(actor=cast.organiser, task=cast.task, audience="participants")


def the_live_board_is_chosen(cast: Cast) -> None:
    task_update(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), scores_shown=Task.LIVE)


def whoever_asked_leaves(cast: Cast) -> None:
    cast.task.campaign.roles.filter(user=cast.organiser).delete()
    cast.organiser = make_user("second")
    cast.task.campaign.roles.create(user=cast.organiser, role="organiser")


def whoever_asked_is_deactivated(cast: Cast) -> None:
    User.objects.filter(pk=cast.organiser.pk).update(is_active=False)
    cast.organiser = make_user("second")
    cast.task.campaign.roles.create(user=cast.organiser, role="organiser")


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        (a_run_is_withdrawn, "Look again, then publish"),
        (qrels_are_newer, "Look again, then publish"),
        (another_board_is_published, "Look again, then publish"),
        (the_live_board_is_chosen, "names the runs: by its scores everybody could tell whose they are"),
        (whoever_asked_leaves, "may not publish any more. An organiser can publish it now"),
        (whoever_asked_is_deactivated, "may not publish any more. An organiser can publish it now"),
    ],
)
def test_what_changes_before_the_job_begins_is_asked_again_and_told(
    scored: Cast,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Cast], None],
    told: str,
    django_capture_on_commit_callbacks: Commit,
) -> None:
    """The organiser reads why on the page that publishes, until something is published."""
    _, job = as_a_job(scored, monkeypatch, "anonymous")
    with django_capture_on_commit_callbacks() as callbacks:
        happens(scored)
    for callback in callbacks:
        callback()
    before = Leaderboard.objects.count()
    assert done(job).state == Job.FAILED
    assert told in job.message
    assert Leaderboard.objects.count() == before
    page = client_of(scored.organiser).get(scored.task.url("leaderboard_publish"))
    assert job.message in text_of(page)


def test_a_failure_is_told_until_a_board_is_published_also_one_that_is_dated_before_it(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = as_a_job(scored, monkeypatch, "participants")
    url = scored.task.url("leaderboard_publish")
    client.post(url, confirmation_of(client.post(url, choices()), choices()))
    first, second = Job.objects.filter(name=publication_effects.PUBLISH)

    def written_while_the_second_fails(**what: Any) -> Any:
        written = draft_written(**what)
        Job.objects.filter(pk=second.pk).update(state=Job.FAILED, message="It failed.", finished_at=timezone.now())
        assert "It failed." in text_of(client.get(url))
        return written

    monkeypatch.setattr(publication_requests, "draft_written", written_while_the_second_fails)
    assert done(first).state == Job.DONE
    second.refresh_from_db()
    assert second.finished_at is not None
    assert Leaderboard.objects.get().published_at < second.finished_at
    assert "It failed." not in text_of(client.get(url))
    Job.objects.filter(pk=second.pk).update(state=Job.DONE, message=GONE, finished_at=timezone.now())
    assert client.get(url, headers={"HX-Request": "true"})["HX-Redirect"] == url, "not to a board of another job"
    assert GONE in text_of(client.get(url))
