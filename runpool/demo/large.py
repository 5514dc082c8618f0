"""Loads a campaign of the usual size for developers, through the same services and commands that people use.

The same arguments give the same topics, documents, runs and judgments.
"""

import io
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.utils import timezone

from campaign.models import Campaign, Role, Run, Task, Team, User
from campaign.queue.jobs import inline
from campaign.runs.services.submission import run_submit
from campaign.setup.services.campaigns import campaign_create, campaign_open
from campaign.setup.services.people import role_grant
from campaign.setup.services.tasks import task_advance, task_create
from campaign.teams.services.registrations import team_register
from campaign.teams.services.teams import team_create
from campaign.text.plurals import number_of
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.services.leaderboards import leaderboard_publish
from runpool.demo.load import make_person, run_command

CAMPAIGN, TASK = "large", "many-topics"
SEED = 2026
DOCUMENTS, RETRIEVED, POOL_DEPTH = 40, 20, 10
"""Of each topic."""
FEWEST_TOPICS = 12
"""Of which each assessor leaves one, so that something is judged."""
ASSESSORS = ("assessor", "assessor2", "assessor3", "assessor4")
MEASURES = ["nDCG@10", "AP", "Judged@10"]
SUBJECTS = (
    "bicycle",
    "river",
    "language",
    "harvest",
    "museum",
    "battery",
    "glacier",
    "railway",
    "vaccine",
    "orchestra",
)
ASPECTS = ("cost", "history", "safety", "repair", "effect on children", "rules", "use in winter", "first design")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    topics: int = 225
    runs: int = 300
    teams: int = 50


def load_large(say: Say, size: Size) -> None:
    """Load the campaign; nothing where it is published already. RuntimeError on a site that people use."""
    _require_site_of_developers()
    if size.topics < FEWEST_TOPICS or size.runs < 1 or size.teams < 1:
        raise RuntimeError(f"Give at least {FEWEST_TOPICS} topics, 1 run and 1 team.")
    if Campaign.objects.filter(slug=CAMPAIGN, tasks__phase=Task.PUBLISHED).exists():
        return
    if Campaign.objects.filter(slug=CAMPAIGN).exists():
        raise RuntimeError("An earlier load was stopped. Choose another empty folder: RUNPOOL_DATA_DIR=...")
    with inline():
        grades = _grades(size.topics)
        say(f"Making {number_of(size.topics, 'topic')} ...")
        task = _make_task(size)
        say(f"Submitting {number_of(size.runs, 'run')} of {number_of(size.teams, 'team')} ...")
        _submit_runs(task, size, grades)
        say("Pooling, judging and scoring ...")
        _judge(task, grades)
    # Not inline: its report on the reliability takes minutes, and is left to the worker.
    leaderboard_publish(actor=User.objects.get(username="organiser"), task=task)
    say(f"The campaign is at /c/{CAMPAIGN}/. The worker computes its report of reliability.")


def _require_site_of_developers() -> None:
    """The people of the demo have a password that everybody knows."""
    if not settings.DEBUG and User.objects.exclude(email__endswith="@demo.invalid").exists():
        raise RuntimeError(
            "This site has users of its own. The large campaign is for the demo and for developers only."
        )


def _grades(n_topics: int) -> IntArray:
    """The true grade of each document, int64 (n_topics, DOCUMENTS): a fifth to a half of them are relevant."""
    random = np.random.default_rng(SEED)
    shares = random.uniform(0.2, 0.5, (n_topics, 1))
    relevant = random.random((n_topics, DOCUMENTS)) < shares
    grades: IntArray = np.where(relevant, random.integers(1, 4, relevant.shape), 0)
    return grades


def _docno(topic: int, place: int) -> str:
    return f"LARGE-{topic:04}-{place:02}"


def _title(topic: int) -> str:
    return f"{ASPECTS[topic % len(ASPECTS)]} of the {SUBJECTS[topic // len(ASPECTS) % len(SUBJECTS)]}"


def _make_task(size: Size) -> Task:
    numbers = range(1, size.topics + 1)
    organiser = make_person("organiser", "Olga Organiser")
    make_person("reader", "Ravi Reader")
    campaign = campaign_create(
        actor=organiser,
        slug=CAMPAIGN,
        title="Large: a campaign of the usual size",
        summary="Invented topics, documents and runs. Developers look at every page with them.",
    )
    for username in ASSESSORS:
        user = make_person(username, f"{username.capitalize()} of Large")
        role_grant(actor=organiser, campaign=campaign, user=user, role=Role.ASSESSOR)
    task = task_create(
        actor=organiser,
        campaign=campaign,
        slug=TASK,
        title="Many topics",
        measures=MEASURES,
        max_documents_per_topic=100,
        max_runs_per_team=size.runs // size.teams + 1,
        closes_at=timezone.now() + timedelta(days=30),
    )
    topics = [{"number": str(n), "title": _title(n), "description": f"Find the {_title(n)}."} for n in numbers]
    documents = [
        {
            "docno": _docno(n, place),
            "title": f"{_title(n)}, part {place}",
            "text": f"Text {place} about the {_title(n)}.",
        }
        for n in numbers
        for place in range(DOCUMENTS)
    ]
    _run_with_lines("import_topics", topics, actor="organiser")
    _run_with_lines("import_documents", documents, actor="organiser")
    campaign_open(actor=organiser, campaign=campaign)
    task.refresh_from_db()
    task_advance(actor=organiser, task=task, phase=Task.RUNS)
    return task


def _submit_runs(task: Task, size: Size, grades: IntArray) -> None:
    teams = list(_make_teams(task, size.teams))
    for number in range(size.runs):
        member, team = teams[number % len(teams)]
        tag = f"{team.slug}-{number // len(teams) + 1}"
        run_submit(
            actor=member,
            task=task,
            team=team,
            tag=tag,
            file=ContentFile(_run_text(tag, number, size.runs, grades)),
            file_name=f"{tag}.txt",
            kind=Run.MANUAL if number % 10 == 9 else Run.AUTOMATIC,
            description=f"Invented run {number + 1}.",
        )


def _make_teams(task: Task, n_teams: int) -> Iterator[tuple[User, Team]]:
    for number in range(1, n_teams + 1):
        username = "participant" if number == 1 else f"participant{number}"
        member = make_person(username, f"Participant {number}")
        team = team_create(actor=member, name=f"Large team {number}", affiliation="An invented laboratory")
        team_register(actor=member, team=team, campaign=task.campaign, accepted=[])
        yield member, team


def _run_text(tag: str, number: int, n_runs: int, grades: IntArray) -> bytes:
    """A run that finds relevant documents the better, the higher its number is."""
    random = np.random.default_rng([SEED, number])
    scores: FloatArray = grades * (0.2 + 1.2 * number / n_runs) + random.normal(0, 1.2, grades.shape)
    order = np.argsort(-scores, axis=1)[:, :RETRIEVED]
    lines = [
        f"{topic} Q0 {_docno(topic, place)} {rank} {scores[topic - 1, place]:.4f} {tag}"
        for topic, places in enumerate(order.tolist(), start=1)
        for rank, place in enumerate(places, start=1)
    ]
    return ("\n".join(lines) + "\n").encode()


def _judge(task: Task, grades: IntArray) -> None:
    address = f"{CAMPAIGN}/{TASK}"
    run_command("freeze_pool", address, "--depth", str(POOL_DEPTH), "--seed", str(SEED), actor="organiser")
    pooled = _pooled_lines(address, grades)
    numbers = list(task.topics.order_by("position").values_list("number", flat=True))
    for place, assessor in enumerate(ASSESSORS):
        share = numbers[place :: len(ASSESSORS)]
        run_command("assign_topics", address, "--assessor", assessor, "--topics", *share, actor="organiser")
        judged = set(share[: max(1, len(share) - 2)])
        lines = [line for line in pooled if line["topic"] in judged]
        _run_with_lines("record_judgments", lines, actor=assessor)
    run_command("release_qrels", address, "--note", "All but two topics of each assessor.", actor="organiser")


def _pooled_lines(address: str, grades: IntArray) -> list[dict[str, object]]:
    text = io.StringIO()
    call_command("export_pool", address, stdout=text)
    pairs = (line.split()[:2] for line in text.getvalue().splitlines())
    return [
        {"topic": topic, "docno": docno, "grade": int(grades[int(topic) - 1, int(docno[-2:])]), "seconds": 9.0}
        for topic, docno in pairs
    ]


def _run_with_lines(name: str, lines: Sequence[dict[str, object]] | Sequence[dict[str, str]], *, actor: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        run_command(name, f"{CAMPAIGN}/{TASK}", path, actor=actor)
