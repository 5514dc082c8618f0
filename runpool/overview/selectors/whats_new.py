"""What is new for a person: read from the rows that tell it, by the queries that decide who may open them.

Rows of one kind in one task on one day are one entry. All kinds are one statement, since every page asks it for the bell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.cache import caches
from django.db.models import CharField, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import TruncDate
from django.urls import reverse
from django.utils import timezone

from campaign.models import (
    Campaign,
    Notice,
    OrganiserAnswer,
    OrganiserQuestion,
    Registration,
    Role,
    Run,
    Task,
    Team,
    User,
)
from campaign.models.mail import RESULTS
from campaign.text.plurals import number_of
from evaluation.models import Leaderboard
from judging.models import Assignment
from runpool.overview.todo import deciding_step

TOLD_FOR = timedelta(days=30)
MOST_TOLD = 30
MOST_COUNTED = 9
COUNT_KEPT = 60
"""Seconds."""
BOARD, VALID, REJECTED, ASSIGNED = "board", "valid", "rejected", "assigned"
OWN_ANSWER, ANSWER, QUESTION = "own answer", "answer", "question"
CAMPAIGN, NOTICE, REQUEST, TAKES_PART, REFUSED = "campaign", "notice", "request", "takes part", "refused"
OF_CAMPAIGNS = frozenset({CAMPAIGN, NOTICE, REQUEST, TAKES_PART, REFUSED})
KINDS = (BOARD, VALID, REJECTED, ASSIGNED, OWN_ANSWER, ANSWER, QUESTION, CAMPAIGN, NOTICE, REQUEST, TAKES_PART, REFUSED)


class Found(NamedTuple):
    """Rows of one kind in one task, or campaign, on one day."""

    kind: str
    subject: int
    """The key of the task, or of the campaign for `OF_CAMPAIGNS`."""
    at: datetime
    """Of the newest row."""
    rows: int
    number: int
    """Of one of the rows, as its address needs it."""
    word: str
    """The name of one of the rows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list. `url` is a page that its reader may open."""

    kind: str
    at: datetime
    text: str
    place: str
    url: str
    is_new: bool


def whats_new(user: User) -> list[Entry]:
    """The newest first. Three statements, however much there is."""
    found = _found(user)
    keys = [
        {row.subject for row in found if (row.kind in OF_CAMPAIGNS) == of_campaigns} for of_campaigns in (False, True)
    ]
    tasks, campaigns = Task.objects.select_related("campaign").in_bulk(keys[0]), Campaign.objects.in_bulk(keys[1])
    entries = [_entry(user, row, tasks, campaigns) for row in found]
    return sorted((entry for entry in entries if entry is not None), key=lambda entry: entry.at, reverse=True)


def new_count(user: User) -> str:
    """How many entries the person has not seen; "" where there are none. One statement a minute, since every page asks."""
    seen = user.news_seen_until
    key = (
        f"overview:new-count:{user.pk}:{seen.timestamp() if seen else ''}"  # so what is marked as seen is gone at once
    )
    kept: str | None = caches["bulk"].get(key)
    if kept is None:
        count = sum(_is_new(user, row.at) for row in _found(user))
        kept = f"{MOST_COUNTED}+" if count > MOST_COUNTED else str(count or "")
        caches["bulk"].set(key, kept, timeout=COUNT_KEPT)
    return kept


def _is_new(user: User, at: datetime) -> bool:
    return user.news_seen_until is None or at > user.news_seen_until


def _entry(user: User, row: Found, tasks: dict[int, Task], campaigns: dict[int, Campaign]) -> Entry | None:
    """None where the subject was deleted between two statements."""
    if row.kind in OF_CAMPAIGNS:
        campaign = campaigns.get(row.subject)
        if campaign is None:
            return None
        (text, url), place = _said_of_campaign(row, campaign), str(campaign)
        place = "a campaign to join" if row.kind == CAMPAIGN else place
    else:
        task = tasks.get(row.subject)
        if task is None:
            return None
        (text, url), place = _said_of_task(row, task), f"{task.campaign} · {task}"
    return Entry(row.kind, row.at, text, place, url, _is_new(user, row.at))


def _said_of_campaign(row: Found, campaign: Campaign) -> tuple[str, str]:
    is_one, page = row.rows == 1, {"campaign_slug": campaign.slug}
    if row.kind == NOTICE:
        if is_one:
            return row.word, reverse("notice_detail", kwargs={**page, "notice_id": row.number})
        return number_of(row.rows, "notice"), reverse("news_list", kwargs=page)
    if row.kind == REQUEST:
        text = f"{row.word} asks to take part" if is_one else f"{number_of(row.rows, 'team')} ask to take part"
        return text, deciding_step(campaign, row.rows).url
    if row.kind == CAMPAIGN:
        return f"{campaign} is open", campaign.get_absolute_url()
    what = "takes part now" if row.kind == TAKES_PART else "was refused"
    several = "take part now" if row.kind == TAKES_PART else "were refused"
    text = f"{row.word} {what}" if is_one else f"{number_of(row.rows, 'team')} of yours {several}"
    return text, reverse("campaign_register", kwargs=page)


def _said_of_task(row: Found, task: Task) -> tuple[str, str]:
    """The text of an entry, and where it leads: to the one thing that it tells of, or to the list of several."""
    kind, count, number, word = row.kind, row.rows, row.number, row.word
    if kind == BOARD:
        text = (
            f"Leaderboard {number} is published" if count == 1 else f"{number_of(count, 'leaderboard')} are published"
        )
        return text, task.url("leaderboard_detail", number=number)
    if kind in (VALID, REJECTED):
        if count == 1:
            return f"Run {word} is {kind}", f"{task.url('run_detail', tag=word)}?attempt={number}"
        return f"{number_of(count, 'run')} of yours are {kind}", f"{task.url('run_list')}?state={kind}"
    if kind == ASSIGNED:
        text = f"Topic {word} is assigned to you" if count == 1 else f"{number_of(count, 'topic')} are assigned to you"
        return text, task.url("my_topics")
    questions = task.url("question_list")
    if kind == QUESTION:
        return (
            "A question waits for an answer" if count == 1 else f"{number_of(count, 'question')} wait for an answer",
            questions,
        )
    texts = {
        OWN_ANSWER: ("Your question is answered", f"{number_of(count, 'question')} of yours are answered"),
        ANSWER: ("The organisers answered a question", f"The organisers answered {number_of(count, 'question')}"),
    }
    one = f"?question={number}#question-{number}"  # the page of the list that shows it
    return texts[kind][count > 1], f"{questions}{one if count == 1 else ''}"


def _found(user: User) -> list[Found]:
    """The newest entries of all kinds."""
    first, *others = _kinds(user)
    rows: QuerySet[Any, Any] = first.union(*others, all=True).order_by("-new_at", "new_kind", "-new_subject")
    return [Found(*row) for row in rows[:MOST_TOLD]]


def _kinds(user: User) -> Iterator["QuerySet[Any, Any]"]:
    """Of archived and deleted campaigns nothing; nor what the person did."""
    tasks = Task.objects.visible_to(user).filter(campaign__archived_at=None)
    roles = Role.objects.filter(user=user)
    teams = Registration.objects.approved().filter(team__in=Team.objects.of(user).values("pk"))
    takes_part = Q(task__campaign__in=roles.values("campaign")) | Q(task__campaign__in=teams.values("campaign"))
    of_tasks = Q(task__in=tasks.values("pk"))

    boards = Leaderboard.objects.visible_to(user).exclude(published_by=user).filter(of_tasks)
    # Who takes no part anywhere is a reader of all boards.
    yield _told(
        BOARD, boards.filter(takes_part | ~Exists(roles) & ~Exists(teams)), "task", "published_at", Max("number")
    )
    runs = Run.objects.of_teams_of(user).filter(of_tasks, task__campaign__in=teams.values("campaign"))
    for kind, state in ((VALID, Run.VALID), (REJECTED, Run.REJECTED)):
        of_state = runs.filter(state=state)
        yield _told(kind, of_state, "task", "state_changed_at", Max("attempt"), Min("tag"))
    yield _told(ASSIGNED, _assigned(user, tasks), "pool__task", "assigned_at", Min("pk"), Min("topic__number"), "topic")
    yield from _questions(user, of_tasks, takes_part)
    fresh = Campaign.objects.visible_to(user).filter(closed_at=None, opened_at__isnull=False)
    asked = Registration.objects.filter(team__in=Team.objects.of(user).values("pk"))
    foreign = fresh.exclude(pk__in=roles.values("campaign")).exclude(pk__in=asked.values("campaign"))
    yield _told(CAMPAIGN, foreign, "pk", "opened_at", Min("pk"))
    yield from _of_campaigns(user, roles, teams)


def _of_campaigns(
    user: User, roles: "QuerySet[Role]", teams: "QuerySet[Registration]"
) -> Iterator["QuerySet[Any, Any]"]:
    """Notices to those who take part, teams that wait for a decision, and decisions on own teams."""
    live = Q(campaign__in=Campaign.objects.visible_to(user).filter(archived_at=None).values("pk"))
    takes_part = Q(campaign__in=roles.values("campaign")) | Q(campaign__in=teams.values("campaign"))
    notices = Notice.objects.visible_to(user).filter(live, takes_part).exclude(written_by=user)
    in_trash = notices.filter(task__deleted_at__isnull=False)
    told = notices.exclude(kind=RESULTS).exclude(pk__in=in_trash.values("pk"))  # results have entries of their own
    yield _told(NOTICE, told, "campaign", "written_at", Max("pk"), Min("title"))
    organised = roles.filter(role=Role.ORGANISER).values("campaign")
    asking = Registration.objects.filter(live, state=Registration.REQUESTED, campaign__in=organised)
    own = Registration.objects.filter(live, team__in=Team.objects.of(user).values("pk")).exclude(decided_by=user)
    yield _told(REQUEST, asking.exclude(registered_by=user), "campaign", "registered_at", Min("pk"), Min("team__name"))
    for kind, state in ((TAKES_PART, Registration.APPROVED), (REFUSED, Registration.REFUSED)):
        yield _told(kind, own.filter(state=state), "campaign", "decided_at", Min("pk"), Min("team__name"))


def _assigned(user: User, tasks: "QuerySet[Task]") -> "QuerySet[Assignment]":
    """Hidden repeats are told to nobody, and a second opinion as a first one is; nor what the assessor took."""
    assesses = Role.objects.filter(campaign=OuterRef("pool__task__campaign"), user=user, role=Role.ASSESSOR)
    own = Assignment.objects.filter(Exists(assesses), assessor=user, is_repeat=False, handed_over_at=None)
    return own.filter(pool__task__in=tasks.values("pk")).exclude(assigned_by=user)


def _questions(user: User, of_tasks: Q, takes_part: Q) -> Iterator["QuerySet[Any, Any]"]:
    """Answers to own questions and those for everybody, as `questions_of` lists them; open questions to those who answer."""
    in_tasks = OrganiserQuestion.objects.filter(of_tasks)
    later = OrganiserAnswer.objects.filter(question=OuterRef("question"), pk__gt=OuterRef("pk"))
    newest = OrganiserAnswer.objects.filter(~Exists(later)).exclude(written_by=user)
    own = newest.filter(question__in=in_tasks.filter(asked_by=user).values("pk"))
    yield _told(OWN_ANSWER, own, "question__task", "written_at", Min("question"))
    public = in_tasks.published().filter(takes_part).exclude(asked_by=user).order_by()
    others = newest.filter(question__in=public.values("pk"))
    yield _told(ANSWER, others, "question__task", "written_at", Min("question"))
    organised = Role.objects.filter(user=user, role=Role.ORGANISER).values("campaign")
    waiting = in_tasks.open().filter(task__campaign__in=organised).exclude(asked_by=user)
    yield _told(QUESTION, waiting, "task", "asked_at", Min("pk"))


def _told(
    kind: str,
    rows: "QuerySet[Any]",
    subject: str,
    at: str,
    number: Combinable,
    word: Combinable = Value("", output_field=CharField()),  # noqa: B008 - never changed
    counted: str = "pk",
) -> "QuerySet[Any, Any]":
    """The rows of the last days by subject and day, as `Found`."""
    recent = rows.order_by().filter(**{f"{at}__gte": timezone.now() - TOLD_FOR})
    grouped = recent.annotate(
        new_kind=Value(kind, output_field=CharField()), new_subject=F(subject), new_day=TruncDate(at)
    ).values("new_kind", "new_subject", "new_day")
    counts = grouped.annotate(new_at=Max(at), new_rows=Count(counted, distinct=True), new_number=number, new_word=word)
    found: QuerySet[Any, Any] = counts.values_list(
        "new_kind", "new_subject", "new_at", "new_rows", "new_number", "new_word"
    )
    return found
