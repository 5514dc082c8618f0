"""What a person can make the site compute or keep ends somewhere, with a sentence that says where."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache, caches
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.services import tokens
from campaign.collection.services import corrections, imports
from campaign.collection.services.search_index import texts_index_request
from campaign.collection.services.topic_corrections import topic_correct
from campaign.mail.choices import choices_set
from campaign.models import (
    ApiToken,
    Archive,
    Collection,
    Correction,
    Import,
    Job,
    MailChoice,
    Notice,
    Registration,
    Restoration,
    Role,
    Run,
    Task,
    User,
)
from campaign.models.mail import ROLE
from campaign.news.selectors.recipients import Audience
from campaign.news.services import automatic, milestones, notices
from campaign.runs.services import decisions, rechecks
from campaign.runs.services.submission import run_edit
from campaign.setup.services import agreements, campaigns, tasks
from campaign.setup.services.rounds import round_add
from campaign.teams.services import allowances, registrations, teams
from campaign.web import daily_limits
from evaluation.analysis.reliability.services import reliability_request
from evaluation.models import Leaderboard
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.selectors.publication_effects import PUBLISH
from evaluation.services import leaderboards, publication_requests
from evaluation.services.scoring import scores_request, task_score
from judging.assigning.services import assignments
from judging.checkouts.services import claims_free
from judging.completeness.holders import holders_or_job
from judging.desk.services import judgments
from judging.model_assessors import services as model_assessors
from judging.models import (
    Assignment,
    Claim,
    ModelAssessor,
    PracticeAnswer,
    PreferenceAssignment,
    PreferenceOrder,
    Qrels,
)
from judging.practice import services as practice
from judging.preferences import services as preferences
from judging.preferences.services import preference_order_release
from judging.qrels.services import releases
from pooling.models import Pool
from pooling.selectors.holders import READ_HOLDERS
from pooling.selectors.pools import FREEZE_POOL
from pooling.selectors.previews import previewed
from pooling.services import added_documents, pools, previews
from runpool.archive.services import requests
from runpool.operations.health import VERIFY
from runpool.operations.services import failed_jobs_send_again, job_send_again
from runpool.operations.verifications import verification_request
from tests.campaign.runs.makers import signed_in
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_team, make_topics, make_user
from tests.judging.makers import judge, make_assignment, make_model_assessor, make_pool, model_grades
from tests.judging.preferences.makers import answer_next, make_comparison
from tests.pooling.makers import depth_k

Make = Callable[[Cast, int], object]
CONFIRMED = pools.Confirmed("", 0)


def found_team(cast: Cast, number: int) -> None:
    answer = signed_in(cast.stranger).post(reverse("team_create"), {"name": f"Team {number}"})
    if answer.status_code == 422:
        raise ValidationError(answer.content.decode())


def write_notice(cast: Cast, number: int) -> Notice:
    audience = Audience(cast.campaign, Notice.EVERYBODY, but=cast.organiser)
    return notices.notice_write(actor=cast.organiser, audience=audience, title=f"{number}", body="x", batch=uuid4())


def create_campaign(cast: Cast, number: int) -> object:
    return campaigns.campaign_create(actor=cast.organiser, slug=f"c-{number}", title="New")


def add_round(cast: Cast, number: int) -> object:
    return round_add(actor=cast.organiser, task=cast.task, slug=f"r-{number}", title="Next", round_kind="test")


def write_agreement(cast: Cast, number: int) -> object:
    return agreements.agreement_create(actor=cast.organiser, campaign=cast.campaign, title=f"{number}", text="x")


def release_qrels(cast: Cast, number: int) -> Qrels:
    assignment = Assignment.objects.first() or make_assignment(cast, ["D0", "D1", "D2", "D3"])
    judge(assignment, f"D{number}", 1)
    return releases.qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)


def publish_board(cast: Cast, number: int) -> Leaderboard:
    make_qrels(cast.task, {"1": {f"D{number}": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, f"run-{number}", {"1": ["D1", "D2"]})
    task_score(task=cast.task, report=lambda done, total: None)
    return leaderboards.leaderboard_publish(actor=cast.organiser, task=cast.task)


def ask_to_publish(cast: Cast, number: int) -> None:
    """Of a board that a job publishes, each with another note."""
    if not number:
        make_qrels(cast.task, {"1": {"D1": 1}}, cast.organiser)
        make_valid_run(cast.task, cast.team, "run", {"1": ["D1"]})
        task_score(task=cast.task, report=lambda done, total: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publication_requests, "MOST_VALUES_AT_ONCE", 0)
        publication_requests.leaderboard_request(actor=cast.organiser, task=cast.task, terms=Terms(note=f"{number}"))


def fail_to_publish(cast: Cast, number: int) -> None:
    ask_to_publish(cast, number)
    Job.objects.filter(name=PUBLISH).update(state=Job.FAILED, finished_at=timezone.now())


def check_import_again(cast: Cast, number: int) -> None:
    if not number:
        file = ContentFile(b"1\ta\n", "topics.tsv")
        imports.import_store(actor=cast.organiser, task=cast.task, kind=Import.TOPICS, file=file, file_name="t.tsv")
    Import.objects.update(state=Import.READY)  # as the check before it ended
    import_ = Import.objects.get()
    imports.import_check_again(actor=cast.organiser, import_=import_, options={}, jobs=imports.jobs_of(Import.TOPICS))


def ask_for_preview(cast: Cast, number: int) -> Job:
    return previews.preview_request(actor=cast.organiser, asked=previewed(cast.task, depth_k(number + 1)))


def ask_for_pool(cast: Cast, number: int) -> Job:
    return pools.pool_freeze_request(
        actor=cast.organiser, task=cast.task, spec=depth_k(number + 1), confirmed=CONFIRMED
    )


def freeze_pool(cast: Cast, number: int) -> Job:
    job = ask_for_pool(cast, number)
    make_pool(cast.task, {}, cast.organiser, version=number + 1)  # as the job does
    return job


def ask_for_archive(cast: Cast, number: int) -> Archive:
    archive = requests.archive_request(actor=cast.organiser, campaign=cast.campaign)
    Archive.objects.filter(pk=archive.pk).update(made_at=timezone.now())  # else the next one is answered by this one
    return archive


def apply_import(cast: Cast, number: int) -> None:
    file = ContentFile(f"{number}\ta\n".encode(), "topics.tsv")
    received = imports.import_store(
        actor=cast.organiser, task=cast.task, kind=Import.TOPICS, file=file, file_name="topics.tsv"
    )
    Import.objects.filter(pk=received.pk).update(state=Import.DONE, finished_at=timezone.now())


def correct_topic(cast: Cast, number: int) -> Correction | None:
    topic = cast.task.topics.first() or make_topics(cast.task, ["1"])[0]
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.RUNS)
    return topic_correct(actor=cast.organiser, topic=topic, fields={"title": f"{number}"}, reason="x", note="x")


def release_order(cast: Cast, number: int) -> PreferenceOrder:
    qrels = make_qrels(cast.task, {"1": {f"D{number}": 1}}, cast.organiser)
    make_comparison(cast, cast.task.topics.first() or make_topics(cast.task, ["1"])[0], [f"D{number}"])
    return preference_order_release(actor=cast.organiser, task=cast.task, qrels=qrels)


def register_and_withdraw(cast: Cast, number: int) -> None:
    registration = registrations.team_register(
        actor=cast.stranger, team=make_team(f"N{number}", members=(cast.stranger,)), campaign=cast.campaign
    )
    registrations.registration_withdraw(actor=cast.stranger, registration=registration)


def decide_again(cast: Cast, number: int) -> None:
    registration = Registration.objects.get(team=cast.other_team)
    registrations.registration_decide(
        actor=cast.organiser, registration=registration, state=Registration.REFUSED, note=f"{number}"
    )


def move_deadline(cast: Cast, number: int) -> None:
    closes_at = timezone.now() + timedelta(days=number + 1)
    tasks.task_update(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk), closes_at=closes_at)


def move_phase(cast: Cast, number: int) -> None:
    tasks.task_enter_phase(
        actor=cast.organiser, task=cast.task, phase=(Task.JUDGING, Task.PUBLISHED, Task.JUDGING)[number]
    )


def edit_run(cast: Cast, number: int) -> None:
    if not number:
        Task.objects.filter(pk=cast.task.pk).update(phase=Task.RUNS, closes_at=timezone.now() + timedelta(days=1))
        make_valid_run(cast.task, cast.team, "edited", {"1": ["D1"]})
    run = Run.objects.select_related("task__campaign", "team").get(tag="edited")
    run_edit(actor=cast.member, run=run, kind=run.kind, priority=1, description=f"{number}")


def choose_mails(cast: Cast, number: int) -> None:
    choices_set(actor=cast.member, choices={ROLE: MailChoice.OFF})
    choices_set(actor=cast.member, choices={ROLE: MailChoice.EACH})


def make_and_revoke_token(cast: Cast, number: int) -> None:
    expires_at = timezone.now() + timedelta(days=1)
    token, _ = tokens.token_create(actor=cast.member, name="a", scope=ApiToken.SUBMIT, expires_at=expires_at)
    tokens.token_revoke(actor=cast.member, token=token)


def join_and_leave(cast: Cast, number: int) -> None:
    teams.team_join(actor=cast.stranger, key=cast.team.invitation_key)
    teams.team_leave(actor=cast.stranger, team=cast.team)


def assign_and_take_back(cast: Cast, number: int) -> None:
    if not number:
        [topic] = make_topics(cast.task, ["1"])
        make_pool(cast.task, {topic: ["D1"]}, cast.organiser)
    pool = Pool.objects.get(task=cast.task)
    [made] = assignments.assignments_create(
        actor=cast.organiser, pool=pool, assessor=cast.assessor, topics=list(cast.task.topics.all())
    )
    assignments.assignment_remove(actor=cast.organiser, assignment=made)


def give_allowance(cast: Cast, number: int) -> None:
    how = {"extra_runs": number + 1, "closes_at": None, "reason": "x"}
    allowances.allowance_give(actor=cast.organiser, task=cast.task, team=cast.team, **how)


def reject_and_accept(cast: Cast, number: int) -> None:
    if not number:
        make_valid_run(cast.task, cast.team, "odd", {"1": ["D1"]})
    act = (decisions.run_reject, decisions.run_accept)[number % 2]
    act(actor=cast.organiser, run=Run.objects.select_related("task__campaign", "team").get(tag="odd"), reason="x")


def check_all_again(cast: Cast, number: int) -> None:
    rechecks.runs_check_again(actor=cast.organiser, task=cast.task)


def ask_for_scores(cast: Cast, number: int) -> None:
    scores_request(actor=cast.organiser, task=cast.task)


def ask_for_report(cast: Cast, number: int) -> None:
    reliability_request(actor=cast.organiser, task=cast.task)


def search_texts(cast: Cast, number: int) -> None:
    if not number:
        [topic] = make_topics(cast.task, ["1"])
        make_pool(cast.task, {topic: ["D1"]}, cast.organiser)
    pool, topic = Pool.objects.get(task=cast.task), cast.task.topics.get()
    added_documents.search_log(actor=cast.assessor, pool=pool, topic=topic, query=f"wing {number}", results=0)
    added_documents.search_log(actor=cast.assessor, pool=pool, topic=topic, query=f"wing {number}", results=0)


def judge_again(cast: Cast, number: int) -> None:
    """The judgment and the one that takes it back: only what stands in place of another is counted."""
    assignment = Assignment.objects.first() or make_assignment(cast, ["D1", "D2"])
    if not number:
        judge(assignment, "D1", 0)
        judge(assignment, "D2", 0)
    judge(assignment, "D1", number)


def judge_and_take_back(cast: Cast, number: int) -> None:
    assignment = Assignment.objects.first() or make_assignment(cast, ["D1", "D2"])
    if not number:
        judge(assignment, "D2", 0)
    judge(assignment, "D1", 1) if number != 1 else judgments.judgment_undo(
        assessor=cast.assessor, assignment=assignment
    )


def compare_and_take_back(cast: Cast, number: int) -> None:
    if not number:
        make_qrels(cast.task, {"1": {"D1": 3, "D2": 3}}, cast.organiser)
        make_comparison(cast, cast.task.topics.first() or make_topics(cast.task, ["1"])[0], ["D1", "D2"])
    comparison = PreferenceAssignment.objects.get()
    answer_next(comparison)
    preferences.preference_undo(assessor=cast.assessor, assignment=comparison, uuid=uuid4())


def grade_again(cast: Cast, number: int) -> None:
    """As a model."""
    if not number:
        make_assignment(cast, ["D1", "D2"])
        model_grades(make_model_assessor(cast.task, cast.organiser)[0], "401", {"D1": 0, "D2": 0})
    [outcome] = model_grades(ModelAssessor.objects.get(), "401", {"D1": number})
    if outcome.refusal:
        raise ValidationError(outcome.refusal)


def practise(cast: Cast, number: int) -> None:
    if not number:
        make_assignment(cast, ["D0", "D1", "D2"])
        practice.practice_set(actor=cast.organiser, task=cast.task, text="401 D0 1\n401 D1 1\n401 D2 1\n")
    answer = PracticeAnswer.objects.order_by("position")[number]
    practice.practice_grade(user=cast.assessor, answer=answer, round_number=1, grade=1)
    practice.practice_grade(user=cast.assessor, answer=answer, round_number=1, grade=0)


def add_and_remove_milestone(cast: Cast, number: int) -> None:
    made = milestones.milestone_add(actor=cast.organiser, campaign=cast.campaign, label="x", at=timezone.now())
    milestones.milestone_remove(actor=cast.organiser, milestone=made)


def hold_and_free(cast: Cast, number: int) -> None:
    assignment = Assignment.objects.first() or make_assignment(cast, ["D1"])
    Claim.objects.create(
        pool=assignment.pool,
        topic=assignment.topic,
        assignment=assignment,
        docno="D1",
        pass_number=1,
        claimed_at=timezone.now(),
    )
    claims_free(actor=cast.organiser, assignment=assignment)


def fail_to_freeze(cast: Cast, number: int) -> None:
    ask_for_pool(cast, number)
    Job.objects.filter(name=FREEZE_POOL).update(state=Job.FAILED, finished_at=timezone.now())


def preview(cast: Cast, number: int) -> None:
    ask_for_preview(cast, number)
    Job.objects.update(state=Job.DONE, finished_at=timezone.now())


def restore(cast: Cast, number: int) -> None:
    restoration = Restoration.objects.create(
        file_name="x.zip", size=1, sha256="0" * 64, created_by=cast.organiser, file="x", state=Restoration.READY
    )
    requests.restoration_confirm(actor=cast.organiser, restoration=restoration, slug=f"restored-{number}")


def read_holders_again(cast: Cast, number: int) -> None:
    pool = Pool.objects.first() or make_assignment(cast, ["D1"]).pool
    about = {"name": READ_HOLDERS, "task": pool.task, "arguments": {"task_id": pool.task_id, "pool_id": pool.pk}}
    Job.objects.create(**about, key=f"{number}", state=Job.FAILED)
    caches["bulk"].clear()
    holders_or_job(pool, again_for=cast.organiser)


def index_again(cast: Cast, number: int) -> None:
    collection = Collection.objects.first() or make_collection(cast.task, ["D1"])
    texts_index_request(collection)
    Job.objects.update(state=Job.FAILED, finished_at=timezone.now())
    texts_index_request(collection, again_for=cast.assessor)


def send_job_again(cast: Cast, number: int) -> None:
    job = Job.objects.create(name=VERIFY, key=f"{number}", arguments={}, state=Job.FAILED)
    job_send_again(actor=cast.organiser, job=job)


def send_jobs_again(cast: Cast, number: int) -> None:
    failed_jobs_send_again(actor=cast.organiser)


def verify_site(cast: Cast, number: int) -> None:
    verification_request(actor=cast.organiser)


@pytest.mark.parametrize(
    ("make", "module", "limit", "there", "said"),
    [
        (check_all_again, rechecks, "MOST_CHECKS_A_DAY", 0, "your limit of 2 checks of all runs within a day."),
        (ask_for_scores, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (ask_for_report, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (
            judge_again,
            judgments,
            "MOST_JUDGED_AGAIN_A_DAY",
            0,
            "the limit of 2 changed judgments within a day is reached.",
        ),
        (
            judge_and_take_back,
            judgments,
            "MOST_JUDGED_AGAIN_A_DAY",
            -1,
            "the limit of 1 changed judgment within a day is",
        ),
        (
            compare_and_take_back,
            preferences,
            "MOST_COMPARED_AGAIN_A_DAY",
            0,
            "the limit of 2 changed comparisons within a day is reached.",
        ),
        (
            grade_again,
            model_assessors,
            "MOST_GRADED_AGAIN_A_DAY",
            0,
            "the limit of 2 changed grades within a day is reached.",
        ),
        (practise, practice, "MOST_PRACTISED_A_DAY", 0, "your limit of 2 answers in practice within a day."),
        (add_and_remove_milestone, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (hold_and_free, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (fail_to_freeze, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        *(
            (make, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day.")
            for make in (read_holders_again, index_again, send_job_again, send_jobs_again, verify_site)
        ),
        (preview, previews, "MOST_PREVIEWS_A_DAY", 0, "your limit of 2 previews of pools within a day."),
        (restore, requests, "MOST_RESTORED_A_DAY", 0, "your limit of 2 restorations within a day."),
        (search_texts, added_documents, "MOST_SEARCHES_A_DAY", 0, "your limit of 2 searches within a day."),
        (choose_mails, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (make_and_revoke_token, tokens, "MOST_TOKENS_A_DAY", 0, "your limit of 2 tokens within a day."),
        (join_and_leave, teams, "MOST_JOINED_A_DAY", 0, "your limit of 2 teams that you joined within a day."),
        (assign_and_take_back, assignments, "MOST_CHANGED_A_DAY", 2, "your limit of 4 changes of assignments within"),
        (give_allowance, allowances, "MOST_ALLOWANCES_A_DAY", 0, "your limit of 2 allowances within a day."),
        (reject_and_accept, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (
            register_and_withdraw,
            registrations,
            "MOST_REGISTRATIONS_A_DAY",
            0,
            "your limit of 2 registrations within a day.",
        ),
        (decide_again, registrations, "MOST_DECISIONS_A_DAY", 0, "your limit of 2 decisions about this team within"),
        (move_deadline, automatic, "MOST_MOVES_A_DAY", 0, "your limit of 2 moves of deadlines within a day."),
        (move_phase, tasks, "MOST_MOVES_A_DAY", 0, "your limit of 2 moves of phases within a day."),
        (edit_run, daily_limits, "MOST_CHANGES_A_DAY", 0, "your limit of 2 changes within a day."),
        (found_team, teams, "MOST_TEAMS_A_DAY", 0, "your limit of 2 teams within a day."),
        (create_campaign, campaigns, "MOST_CAMPAIGNS_A_DAY", 0, "your limit of 2 campaigns within a day."),
        (add_round, tasks, "MOST_TASKS", 1, "at most 3 tasks and rounds"),
        (write_agreement, agreements, "MOST_AGREEMENTS", 0, "at most 2 agreements"),
        (write_notice, notices, "MOST_NOTICES_A_DAY", 0, "your limit of 2 notices in this campaign within a day."),
        (
            release_qrels,
            releases,
            "MOST_RELEASES_A_DAY",
            0,
            "your limit of 2 versions of the qrels of this task within a day.",
        ),
        (
            publish_board,
            leaderboards,
            "MOST_BOARDS_A_DAY",
            0,
            "your limit of 2 leaderboards of this task within a day.",
        ),
        (ask_to_publish, publication_requests, "MOST_WAITING", 0, "2 leaderboards of this task are being published."),
        pytest.param(
            fail_to_publish,
            publication_requests,
            "MOST_ASKED_A_DAY",
            0,
            "your limit of 2 leaderboards of this task within a day.",
            marks=pytest.mark.sqlite("evaluation.services.publication_requests._require_few_asked"),
        ),
        (
            check_import_again,
            imports,
            "MOST_CHECKED_AGAIN_A_DAY",
            0,
            "your limit of 2 further checks of imports within",
        ),
        (
            apply_import,
            imports,
            "MOST_APPLIED_A_DAY",
            0,
            "your limit of 2 applied imports of this campaign within a day. Go on tomorrow. Or send many files as one: join",
        ),
        (correct_topic, corrections, "MOST_CORRECTIONS_A_DAY", 0, "your limit of 2 corrections of this task within a"),
        (release_order, preferences, "MOST_ORDERS_A_DAY", 0, "your limit of 2 orders of documents of this task"),
        (ask_for_preview, previews, "MOST_WAITING", 0, "2 previews of this task are being computed."),
        (ask_for_pool, pools, "MOST_WAITING", 0, "2 pools of this task are being frozen."),
        (
            lambda cast, number: make_model_assessor(cast.task, cast.organiser, version=f"{number}"),
            model_assessors,
            "MOST_MODEL_ASSESSORS",
            0,
            "at most 2 model assessors",
        ),
    ],
)
def test_the_third_of_two_is_refused_in_words(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, make: Make, module: object, limit: str, there: int, said: str
) -> None:
    cache.clear()
    monkeypatch.setattr(module, limit, there + 2)
    for number in range(2):
        make(cast, number)
    with pytest.raises(ValidationError, match=said):
        make(cast, 2)


def other_organiser(cast: Cast) -> Cast:
    organiser = make_user()
    Role.objects.create(campaign=cast.campaign, user=organiser, role=Role.ORGANISER)
    return replace(cast, organiser=organiser)


@pytest.mark.parametrize(
    ("make", "module", "limit"),
    [
        (write_notice, notices, "MOST_NOTICES_A_DAY"),
        (release_qrels, releases, "MOST_RELEASES_A_DAY"),
        (publish_board, leaderboards, "MOST_BOARDS_A_DAY"),
        (freeze_pool, pools, "MOST_POOLS_A_DAY"),
        (apply_import, imports, "MOST_APPLIED_A_DAY"),
        (ask_for_archive, requests, "MOST_ARCHIVES_A_DAY"),
    ],
)
def test_an_organiser_does_not_use_up_what_another_may_make_and_all_together_end_somewhere(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, make: Make, module: object, limit: str
) -> None:
    monkeypatch.setattr(module, limit, 1)
    make(cast, 0)
    with pytest.raises(ValidationError, match=r"You have reached your limit of 1 .* within a day\. Go on tomorrow\."):
        make(cast, 1)
    make(other_organiser(cast), 2)
    with pytest.raises(ValidationError, match="All organisers together have reached the limit of 2 "):
        make(other_organiser(cast), 3)


def test_what_is_asked_for_again_while_it_waits_is_no_further_preview(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "MOST_WAITING", 1)
    assert ask_for_preview(cast, 1) == ask_for_preview(cast, 1)
    assert not Job.objects.filter(name=FREEZE_POOL).exists()


def test_a_change_beyond_the_limit_is_refused_in_words_on_every_page_of_ones_own(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_limits, "MOST_CHANGES_A_DAY", 0)
    client = signed_in(cast.assessor)
    address = reverse("account_settings")
    refused = client.post(address, {"display_name": "Ada", "time_zone": "UTC"})
    assert (refused.status_code, "changes within a day" in refused.content.decode()) == (422, True)
    assert client.get(address).context["user"].display_name == cast.assessor.display_name
    keys = {**client.get(reverse("desk_keys")).context["form"].initial, "note": "y"}
    refused = client.post(reverse("desk_keys"), keys)
    assert (refused.status_code, "changes within a day" in refused.content.decode()) == (422, True)
    User.objects.filter(pk=cast.assessor.pk).update(desk_keys={"note": "x"})
    usual = client.post(reverse("desk_keys"), {"usual": "1"}, follow=True)
    assert "changes within a day" in usual.content.decode()
