"""Loads the demo campaign through the same services and commands that people use.

Every step looks first whether it is done, so a load that was broken off goes on where it stopped.
Steps of later apps (pool, judge, release, score, publish) are called by command name.
"""

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.utils import timezone

from campaign.accounts.services.accounts import address_vouch
from campaign.models import Campaign, Membership, Role, Run, Task, Team, User
from campaign.queue.jobs import inline
from campaign.runs.services.submission import run_submit
from campaign.setup.run_questions import CHOICE, YES_NO, Question
from campaign.setup.selectors.agreements import current_agreements
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_create, campaign_open
from campaign.setup.services.people import role_grant
from campaign.setup.services.tasks import task_advance, task_create
from campaign.teams.services.registrations import team_register
from campaign.teams.services.teams import team_create, team_join
from runpool.demo.retrieval import DemoRun, demo_runs
from runpool.demo.simulated_assessors import simulated_judgments

DATA = Path(__file__).parent / "data"
PASSWORD = "runpool-demo"  # noqa: S105 - printed at the start; the demo runs on the visitor's machine only
CAMPAIGN, TASK = "velo", "everyday-cycling"
POOL_DEPTH = 10
LEFT_FOR_THE_VISITOR = 2
MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "alpha-nDCG@10", "Judged@10"]
Say = Callable[[str], None]
QUESTIONS = [
    Question("neural", "Does the run use a neural model?", YES_NO),
    Question("fields", "Which topic fields does it use?", CHOICE, choices=("title", "title and description", "all")),
]


def load_demo(say: Say) -> None:
    """Load what is missing of the demo campaign; quick when nothing is."""
    if Campaign.objects.filter(slug=CAMPAIGN, tasks__phase=Task.PUBLISHED).exists():
        return
    with inline():
        people = _people()
        say("Making the demo campaign: topics and documents ...")
        task = _task(people)
        say("Retrieving runs with twelve small systems and submitting them ...")
        _runs(people, task)
        say("Pooling, judging by two simulated assessors, scoring ...")
        _judge(people, task)


def _people() -> dict[str, User]:
    names = {
        "organiser": "Olga Organiser",
        "assessor": "Asha Assessor",
        "assessor2": "Amir Assessor",
        "participant": "Paula Participant",
        "brio": "Bruno of Brio",
        "cresta": "Carla of Cresta",
        "duna": "Dario of Duna",
        "reader": "Ravi Reader",
    }
    return {username: make_person(username, name) for username, name in names.items()}


def make_person(username: str, display_name: str) -> User:
    user = User.objects.filter(username=username).first()
    if user is None:
        email = f"{username}@demo.invalid"
        user = User.objects.create_user(username, email, PASSWORD, display_name=display_name)
        address_vouch(user=user)
    return user


def _task(people: dict[str, User]) -> Task:
    organiser = people["organiser"]
    campaign = Campaign.objects.filter(slug=CAMPAIGN).first() or campaign_create(
        actor=organiser,
        slug=CAMPAIGN,
        title="Velo: searching for everyday cycling",
        summary="Sixteen everyday questions about bicycles, a small collection, four teams. This campaign is the demo.",
        call=(DATA / "call.md").read_text(encoding="utf-8"),
        time_zone="AoE",
    )
    if not campaign.agreements.exists():
        text = (DATA / "agreement.md").read_text(encoding="utf-8")
        agreement_create(actor=organiser, campaign=campaign, title="Use of the topics and documents", text=text)
    for assessor in ("assessor", "assessor2"):
        if not Role.objects.filter(campaign=campaign, user=people[assessor], role=Role.ASSESSOR).exists():
            role_grant(actor=organiser, campaign=campaign, user=people[assessor], role=Role.ASSESSOR)
    task = Task.objects.filter(campaign=campaign, slug=TASK).first() or task_create(
        actor=organiser,
        campaign=campaign,
        slug=TASK,
        title="Everyday cycling",
        guidelines=(DATA / "guidelines.md").read_text(encoding="utf-8"),
        judging_mode="subtopic",
        measures=MEASURES,
        max_documents_per_topic=100,
        round_kind=Task.DEVELOPMENT,  # so that visitors can upload while a leaderboard is there to read
        questions=[question.to_json() for question in QUESTIONS],
        closes_at=timezone.now() + timedelta(days=30),
    )
    address = f"{CAMPAIGN}/{TASK}"
    if not task.topics.exists():
        run_command("import_topics", address, DATA / "topics.xml", actor="organiser")
    if task.collection is None or not task.collection.documents.exists():
        run_command("import_documents", address, DATA / "documents.jsonl", actor="organiser")
    if campaign.opened_at is None:
        campaign_open(actor=organiser, campaign=campaign)
    task.refresh_from_db()
    task_advance(actor=organiser, task=task, phase=Task.RUNS)
    return task


def _runs(people: dict[str, User], task: Task) -> None:
    teams = {
        "Alba": people["participant"],
        "Brio": people["brio"],
        "Cresta": people["cresta"],
        "Duna": people["duna"],
    }
    documents = [json.loads(line) for line in (DATA / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    runs = demo_runs(documents, _topic_texts(task))
    present = set(Run.objects.filter(task=task).values_list("tag", flat=True))
    for run in runs:
        if run.tag not in present:
            _submit(task, teams[run.team], run)


def _topic_texts(task: Task) -> list[dict[str, str]]:
    fields = ("number", "title", "description", "narrative")
    return [{field: getattr(topic, field) for field in fields} for topic in task.topics.order_by("position")]


def _submit(task: Task, member: User, run: DemoRun) -> None:
    team = Team.objects.filter(name=run.team).first() or team_create(
        actor=member, name=run.team, affiliation="An invented laboratory"
    )
    if not Membership.objects.filter(team=team, user=member).exists():
        team_join(actor=member, key=team.invitation_key)
    if not team.registrations.filter(campaign=task.campaign).exists():
        agreements = current_agreements(task.campaign)
        team_register(actor=member, team=team, campaign=task.campaign, accepted=agreements)
    run_submit(
        actor=member,
        task=task,
        team=team,
        tag=run.tag,
        file=ContentFile(run.content),
        file_name=f"{run.tag}.txt",
        kind=run.kind,
        priority=run.priority,
        description=run.description,
    )


def _judge(people: dict[str, User], task: Task) -> None:
    address = f"{CAMPAIGN}/{TASK}"
    run_command("freeze_pool", address, "--depth", str(POOL_DEPTH), "--seed", "2026", "--if-none", actor="organiser")
    numbers = list(task.topics.order_by("position").values_list("number", flat=True))
    judged, left = numbers[:-LEFT_FOR_THE_VISITOR], numbers[-LEFT_FOR_THE_VISITOR:]
    shares = {"assessor": judged[0::2] + left, "assessor2": judged[1::2]}
    for seed, (assessor, share) in enumerate(shares.items(), start=1):
        run_command("assign_topics", address, "--assessor", assessor, "--topics", *share, actor="organiser")
        _record(address, assessor, [number for number in share if number in judged], seed)
    run_command("release_qrels", address, "--note", "Fourteen of sixteen topics judged.", actor="organiser")
    run_command("score_runs", address, actor="organiser")
    run_command("publish_leaderboard", address, "--note", "First release.", actor="organiser")


def _record(address: str, assessor: str, topics: list[str], seed: int) -> None:
    truth = [json.loads(line) for line in (DATA / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = _pool_pairs(address, topics)
    lines = [json.dumps(judgment) for judgment in simulated_judgments(truth, pairs, assessor_seed=seed)]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        run_command("record_judgments", address, file.name, actor=assessor)


def _pool_pairs(address: str, topics: Iterable[str]) -> list[tuple[str, str]]:
    text = io.StringIO()
    call_command("export_pool", address, stdout=text)
    wanted = set(topics)
    rows = (line.split() for line in text.getvalue().splitlines())
    return [(topic, docno) for topic, docno, *_ in rows if topic in wanted]


def run_command(name: str, *arguments: object, actor: str) -> None:
    """Run a command as the user of this name; errors come as exceptions, other output would only confuse the visitor."""
    with contextlib.redirect_stderr(io.StringIO()):
        call_command(name, *map(str, arguments), "--as", actor, stdout=io.StringIO())
