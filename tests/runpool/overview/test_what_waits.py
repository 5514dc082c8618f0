"""The next step counts what really waits, for each role, and every page that names it says the same."""

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.collection.selectors.todo import imports_to_confirm
from campaign.collection.services.imports import import_store
from campaign.models import Import, Job, Registration, Run, Task, User
from campaign.permissions import Reader
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.adjudication.selectors.disagreements import disagreements_to_decide, dispute
from judging.adjudication.services import adjudication_record
from runpool.overview.selectors.phases import phase_pages
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_collection, make_received_run, make_task, make_team, make_topics, make_user
from tests.judging.makers import assign, judge, make_assignment, make_pool


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def page(user: User | None, address: str) -> str:
    return client_of(user).get(address).content.decode()


def enter(task: Task, phase: str) -> None:
    Task.objects.filter(pk=task.pk).update(phase=phase)
    task.refresh_from_db()


def assert_everywhere(cast: Cast, label: str, *, card: str) -> None:
    """The bar, the home page, the campaign's page and the card of the stage lead on by the same words."""
    assert f"Next: {label}</a>" in page(cast.organiser, cast.task.get_absolute_url())
    assert f"{label}<span" in page(cast.organiser, reverse("home"))
    assert f"{label}</a>" in page(cast.organiser, cast.campaign.get_absolute_url())
    assert f"{label}</a>" in page(cast.organiser, cast.task.url(card))


def test_all_pages_name_the_same_next_step_of_an_organiser_from_the_pool_to_the_leaderboard(cast: Cast) -> None:
    topics = make_topics(cast.task, [str(number) for number in range(1, 17)])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    enter(cast.task, Task.POOL)
    assert_everywhere(cast, "Build the pool", card="pool_card")
    pool = make_pool(cast.task, {topic: ["a"] for topic in topics}, cast.organiser)
    enter(cast.task, Task.JUDGING)
    assert_everywhere(cast, "Assign 16 topics", card="judging_card")
    assigned = [assign(pool, topic, cast.assessor, cast.organiser) for topic in topics[:15]]
    assert_everywhere(cast, "Assign 1 topic", card="judging_card")
    assert "Next: Judge 15 topics</a>" in page(cast.assessor, cast.task.get_absolute_url())
    for assignment in assigned:
        judge(assignment, "a", 1)
    assert "all judged" not in page(cast.organiser, cast.task.url("judging_card"))
    judge(assign(pool, topics[15], cast.assessor, cast.organiser), "a", 1)
    assert_everywhere(cast, "Release qrels", card="judging_card")
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    assert_everywhere(cast, "Score 1 run", card="scores_card")
    task_score(task=cast.task, report=lambda done, total: None)
    enter(cast.task, Task.SCORES)
    assert_everywhere(cast, "Check and publish the scores", card="scores_card")
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    assert "Next: See the leaderboard" in page(cast.organiser, cast.task.get_absolute_url())


def test_of_last_years_track_whose_qrels_are_there_the_scores_come_next_and_no_pool(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    Task.objects.filter(pk=cast.task.pk).update(closes_at=None)
    enter(cast.task, Task.RUNS)
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    assert_everywhere(cast, "Build the pool", card="pool_card")
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.RUNS)
    task_score(task=cast.task, report=lambda done, total: None)
    assert_everywhere(cast, "Check and publish the scores", card="scores_card")
    enter(cast.task, Task.POOL)
    assert "Next: Build the pool" in page(cast.organiser, cast.task.get_absolute_url()), (
        "an organiser wants a pool as well"
    )
    later = timezone.now() + timedelta(days=3)
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.RUNS, closes_at=later)
    assert "Next: See the runs" in page(cast.organiser, cast.task.get_absolute_url()), "runs may still come"


def first_at_home(cast: Cast) -> dict[str, str]:
    """What each role reads at home above the campaigns."""
    users = {"organiser": cast.organiser, "member": cast.member, "assessor": cast.assessor, "reader": make_user()}
    heads = {role: page(user, reverse("home")).partition("<main")[2] for role, user in users.items()}
    return {
        role: " ".join(re.sub(r"<[^>]*>", " ", head.partition('id="campaigns"')[0]).split())
        for role, head in heads.items()
    }


def test_each_role_is_told_at_home_in_each_phase_what_is_its_own(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1"])
    none, judges = "You have no next steps", "Topics that you judge"
    told: dict[str, dict[str, str]] = {}
    enter(cast.task, Task.SETUP)
    told["set-up"] = first_at_home(cast)
    enter(cast.task, Task.RUNS)
    told["runs"] = first_at_home(cast)
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    enter(cast.task, Task.POOL)
    told["pool"] = first_at_home(cast)
    assignment = assign(
        make_pool(cast.task, {topics[0]: ["a"]}, cast.organiser), topics[0], cast.assessor, cast.organiser
    )
    enter(cast.task, Task.JUDGING)
    told["judging"] = first_at_home(cast)
    judge(assignment, "a", 1)
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    enter(cast.task, Task.SCORES)
    told["scores"] = first_at_home(cast)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    told["published"] = first_at_home(cast)
    upload = "Upload a run"
    expected = {
        "set-up": {"organiser": "Import documents", "member": none, "assessor": judges},
        "runs": {"organiser": "See the runs", "member": upload, "assessor": judges},
        "pool": {"organiser": "Build the pool", "member": "Run one is valid", "assessor": judges},
        "judging": {"organiser": "See how judging goes", "member": upload, "assessor": "Topic 1 is assigned to you"},
        "scores": {"organiser": "Check and publish the scores", "member": upload, "assessor": judges},
        "published": {
            "organiser": none,
            "member": "The scores of your ranked run are out: nDCG@10 1.0000, rank interval 1 of 1; "
            "median of all ranked runs 1.0000",
            "assessor": "Leaderboard 1 is published",
            "reader": "Newest leaderboards Task",
        },
    }
    for phase, of_roles in expected.items():
        for role, words in ({"reader": "Create or join a team"} | of_roles).items():
            assert words in re.sub(r"Task-\d+", "Task", told[phase][role]), (phase, role)
        assert "Create a campaign" in told[phase]["organiser"]
        assert [role for role in ("member", "assessor", "reader") if "Create a campaign" in told[phase][role]] == []
    of_reader = told["published"]["reader"]
    assert of_reader.index("Newest leaderboards") < of_reader.index("Create or join a team")


def test_the_release_of_qrels_is_the_first_button_only_when_it_comes_next(cast: Cast) -> None:
    def is_first_button(name: str) -> bool:
        shown = page(cast.organiser, cast.task.url(name))
        [button] = re.findall(r'class="(button[^"]*)"\s+href="[^"]*qrels/release/">Release qrels …', shown)
        return "button-primary" in button

    assignment = make_assignment(cast, ["a", "b"])
    enter(cast.task, Task.JUDGING)
    pages = ("judging_progress", "qrels_list")
    judge(assignment, "a", 1)
    assert not any(map(is_first_button, pages)), "judging goes on"
    judge(assignment, "b", 0)
    assert all(map(is_first_button, pages))
    make_qrels(cast.task, {"401": {"a": 1, "b": 0}}, cast.organiser)
    assert not any(map(is_first_button, pages)), "it is done"


def test_open_disagreements_are_decided_before_a_release_which_answers_those_before_it(cast: Cast) -> None:
    assignment = make_assignment(cast, ["a", "b"])
    second = assign(assignment.pool, assignment.topic, make_user("zoe"), cast.organiser, pass_number=2)
    enter(cast.task, Task.JUDGING)
    for docno in ("a", "b"):
        judge(assignment, docno, 0)
        judge(second, docno, 2)
    assert_everywhere(cast, "Decide 2 disagreements", card="judging_card")
    assert "Release qrels<span" in page(cast.organiser, reverse("home")), "what comes after it is there as well"
    found = dispute(cast.task, assignment.topic, "a")
    assert found is not None
    decided = {"topic": assignment.topic, "docno": "a", "grade": 1, "seen": found.seen}
    adjudication_record(actor=cast.organiser, task=cast.task, uuid=uuid4(), **decided)
    assert_everywhere(cast, "Decide 1 disagreement", card="judging_card")
    make_qrels(cast.task, {"401": {"a": 1, "b": 0}}, cast.organiser)
    assert "Decide" not in page(cast.organiser, cast.task.url("judging_card"))
    judge(second, "b", 1)
    assert_everywhere(cast, "Decide 1 disagreement", card="judging_card")


def test_disagreements_are_counted_by_as_many_queries_however_many_tasks_have_second_opinions(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    tasks = [cast.task, *(make_task(cast.campaign, f"task-{number}") for number in range(3))]
    for number, task in enumerate(tasks):
        [topic] = make_topics(task, [str(number)])
        pool = make_pool(task, {topic: ["a"]}, cast.organiser)
        for pass_number, assessor in enumerate((cast.assessor, cast.organiser), start=1):
            judge(assign(pool, topic, assessor, cast.organiser, pass_number=pass_number), "a", 1)
    assert disagreements_to_decide(tasks, {}) == {}
    with django_assert_max_num_queries(3):
        disagreements_to_decide(tasks, {})


def test_what_fails_or_waits_for_a_decision_is_an_organisers_next_step(cast: Cast) -> None:
    waiting = make_team(campaign=cast.campaign)
    Registration.objects.filter(team=waiting).update(state=Registration.REQUESTED)
    make_received_run(cast.task, cast.team, "lost", b"x")
    file = {"file": ContentFile(b"x"), "file_name": "x.txt"}
    ready = import_store(actor=cast.organiser, task=cast.task, kind=Import.TOPICS, **file)
    Import.objects.filter(pk=ready.pk).update(state=Import.READY)
    Job.objects.create(name="freeze pool", key="{}", task=cast.task, state=Job.FAILED)
    text = page(cast.organiser, cast.task.url("topic_list"))
    labels = ["Next: Decide on 1 team", "Confirm the import of topics", "See 1 run whose check failed"]
    for label in [*labels, "See why freezing failed"]:
        assert f"{label}</a>" in text


def test_teams_are_told_of_runs_that_lack_an_answer(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "one", b"x", state=Run.VALID)
    asked = {"key": "gpu", "label": "Which GPU?", "required": True}
    Task.objects.update(questions=[asked])
    assert "Next: Answer 1 question</a>" in page(cast.member, cast.task.get_absolute_url())
    Run.objects.filter(pk=run.pk).update(answers={"gpu": "none"})
    assert "Next: Upload a run</a>" in page(cast.member, cast.task.get_absolute_url())
    Registration.objects.filter(team=cast.team).update(state=Registration.REQUESTED)
    assert "Next: See your registration</a>" in page(cast.member, cast.task.get_absolute_url())


def test_a_team_is_led_to_the_upload_only_while_it_has_runs_left(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "one", b"x", state=Run.VALID)
    Task.objects.update(max_runs_per_team=1)
    for address in (cast.task.get_absolute_url(), reverse("home"), cast.campaign.get_absolute_url()):
        assert "Upload a run" not in page(cast.member, address)
    Run.objects.filter(pk=run.pk).update(state=Run.REJECTED)
    text = page(cast.member, cast.task.get_absolute_url())
    assert "Next: See why a run was rejected</a>" in text
    assert "Upload a run</a>" in text
    text = page(cast.member, run.get_absolute_url())
    assert "Upload again</a>" in text
    assert "Upload a run</a>" not in text


def test_the_check_script_is_said_to_check_document_numbers_only_for_those_whose_script_can(cast: Cast) -> None:
    make_collection(cast.task, ["d1"])
    limit = "document numbers only with the token"
    assert limit in page(None, cast.task.get_absolute_url())
    assert limit not in page(cast.member, cast.task.get_absolute_url())
    Task.objects.update(docno_policy=Task.ANY)
    assert limit not in page(None, cast.task.get_absolute_url())


def test_assessors_without_topics_read_whether_any_wait_for_an_assessor(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topic: ["a"] for topic in topics}, cast.organiser)
    enter(cast.task, Task.JUDGING)
    assert "2 topics of pool 1 have no assessor yet" in page(cast.assessor, cast.task.url("my_topics"))
    for topic in topics:
        assign(pool, topic, cast.organiser, cast.organiser)
    assert "have no assessor yet" not in page(cast.assessor, cast.task.url("my_topics"))


@pytest.mark.parametrize(("phase", "of_strangers"), [(Task.JUDGING, 2), (Task.PUBLISHED, 3)])
def test_the_steps_of_the_phase_bar_lead_to_pages_that_the_reader_may_open(
    cast: Cast, phase: str, of_strangers: int
) -> None:
    enter(cast.task, phase)
    links = {"organiser": 6, "assessor": 3, "member": of_strangers + 1, "stranger": of_strangers}
    for role, count in links.items():
        user, client = getattr(cast, role), client_of(getattr(cast, role))
        pages = phase_pages(Reader.of(user, cast.campaign), cast.task)
        bar = page(user, cast.task.get_absolute_url())
        assert all(f'<a class="phase-label" href="{address}"' in bar for address in pages.values())
        assert bar.count('<a class="phase-label"') == len(pages) == count
        assert {address: client.get(address).status_code for address in pages.values()} == dict.fromkeys(
            pages.values(), 200
        )


def test_the_step_to_a_checked_pool_leads_to_its_own_page(cast: Cast) -> None:
    file = {"file": ContentFile(b"x"), "file_name": "x.txt"}
    ready = import_store(actor=cast.organiser, task=cast.task, kind=Import.POOL, **file)
    Import.objects.update(state=Import.READY)
    [waiting] = imports_to_confirm(cast.organiser, [cast.task])
    assert waiting.step.label == "Confirm the import of a pool"
    assert waiting.step.url == cast.task.url("pool_import_detail", import_id=ready.pk)


def test_a_file_in_which_nothing_is_new_is_no_next_step(cast: Cast) -> None:
    file = {"file": ContentFile(b"x"), "file_name": "x.txt"}
    import_store(actor=cast.organiser, task=cast.task, kind=Import.JUDGMENTS, **file)
    for new, waiting in ((0, 0), (1, 1)):
        Import.objects.update(state=Import.READY, found={"new": new})
        assert len(list(imports_to_confirm(cast.organiser, [cast.task]))) == waiting


@pytest.mark.parametrize(("kind", "waiting"), [(Import.TOPICS, 1), (Import.QRELS, 1), (Import.DOCUMENTS, 2)])
def test_a_later_file_takes_the_place_of_one_that_nobody_confirmed_but_documents_come_in_parts(
    cast: Cast, kind: str, waiting: int
) -> None:
    for content in (b"x", b"y"):
        file = {"file": ContentFile(content), "file_name": "x.txt"}
        newest = import_store(actor=cast.organiser, task=cast.task, kind=kind, **file)
    Import.objects.update(state=Import.READY)
    assert len(list(imports_to_confirm(cast.organiser, [cast.task]))) == waiting
    Import.objects.filter(pk=newest.pk).update(state=Import.DONE)
    assert len(list(imports_to_confirm(cast.organiser, [cast.task]))) == waiting - 1


def test_pages_of_an_import_and_of_a_job_in_progress_name_no_other_next_step(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    run = make_received_run(cast.task, cast.team, "one", b"x", state=Run.VALID)
    enter(cast.task, Task.POOL)
    assert "Next: Build the pool</a>" in page(cast.organiser, cast.task.get_absolute_url())
    imported = import_store(
        actor=cast.organiser, task=cast.task, kind=Import.TOPICS, file=ContentFile(b"2\ttwo\n"), file_name="topics.tsv"
    )
    own = [cast.task.url("import_detail", import_id=imported.pk)]
    own += [cast.task.url(name) for name in ("qrels_import", "pool_import", "judgments_import")]
    own += [cast.task.url("import_create", kind=kind) for kind in ("topics", "documents")]
    for address in own:
        assert "Next:" not in page(cast.organiser, address), address
    Job.objects.create(name="check run", key="check", task=cast.task, run=run, state=Job.WORKING)
    for state, names in ((Run.VALID, True), (Run.RECEIVED, False)):
        Run.objects.update(state=state)
        assert ("Next:" in page(cast.organiser, run.get_absolute_url())) == names, state
    Run.objects.update(state=Run.VALID)
    job = Job.objects.create(name="score task", key="{}", task=cast.task, state=Job.WORKING)
    for state, names in ((Job.WORKING, False), (Job.DONE, True)):
        Job.objects.filter(pk=job.pk).update(state=state)
        assert ("Next:" in page(cast.organiser, cast.task.url("score_board"))) == names, state
