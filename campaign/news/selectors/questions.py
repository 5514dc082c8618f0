"""Questions to the organisers of a task: who reads which, and what each reader is told of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from campaign.models import OrganiserAnswer, OrganiserQuestion, Task, User, Visitor
from campaign.navigation import Step, Todo
from campaign.permissions import is_assessor, is_organiser
from campaign.text.plurals import number_of

CLOSED = "This campaign is closed: it takes no new questions."


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question as a reader may read it. `asker`: empty where the reader is not told; `earlier`: what `answer` corrects."""

    question: OrganiserQuestion
    asker: str
    is_own: bool
    answer: OrganiserAnswer | None
    earlier: Sequence[OrganiserAnswer]


def questions_of(user: Visitor, task: Task) -> "QuerySet[OrganiserQuestion]":
    """Organisers read all; others their own, and those whose newest answer is for everybody."""
    rows = OrganiserQuestion.objects.filter(task=task)
    if not is_organiser(user, task.campaign):
        published = Q(pk__in=rows.published().order_by().values("pk"))
        rows = rows.filter(published | Q(asked_by=user) if isinstance(user, User) else published)
    answers = Prefetch("answers", OrganiserAnswer.objects.select_related("written_by"))
    return rows.select_related("asked_by", "task__campaign").prefetch_related(answers)


def as_read(user: Visitor, question: OrganiserQuestion) -> ReadQuestion:
    """One of `questions_of`. Answers that were for the asker alone stay so, also once a later one is published."""
    organises, is_own = is_organiser(user, question.task.campaign), question.asked_by_id == user.pk
    answers = [one for one in question.answers.all() if organises or is_own or one.is_public]
    asker = question.asked_by
    tells_name = organises or is_own or (question.shows_name and asker.deleted_at is None)
    newest, earlier = (answers[-1], answers[:-1]) if answers else (None, [])
    return ReadQuestion(question, str(asker) if tells_name else "", is_own, newest, earlier)


def question_counts(user: Visitor, task: Task) -> dict[str, int]:
    """How many a reader sees on the task's page: answered for everybody, and open ones, which only organisers are told."""
    counts = _counts([task]).get(task.pk, {"answered": 0, "open": 0})
    return counts if is_organiser(user, task.campaign) else {"answered": counts["answered"]}


def questions_to_answer(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    """What organisers do: answer what is open."""
    counts = _counts(tasks)
    for task in tasks:
        if count := counts.get(task.pk, {}).get("open"):
            questions = number_of(count, "question")
            yield Todo(task, f"{questions} without an answer", Step(f"Answer {questions}", task.url("question_list")))


def _counts(tasks: Sequence[Task]) -> dict[int, dict[str, int]]:
    """By task that has any question."""
    rows = OrganiserQuestion.objects.filter(task__in=tasks).order_by()
    answered, unanswered = (Count("pk", filter=Q(pk__in=part.values("pk"))) for part in (rows.published(), rows.open()))
    counted = rows.values("task").annotate(answered=answered, open=unanswered)
    return {row["task"]: {"answered": row["answered"], "open": row["open"]} for row in counted}


def readers_in_words(task: Task) -> str:
    """Who reads what is answered for everybody."""
    if task.campaign.opened_at is not None and task.phase != Task.SETUP:
        return "everybody who opens the page of the task, also without an account: all teams, assessors and readers"
    return (
        "assessors and organisers now; everybody, all teams too, once the campaign is open and the task past its set-up"
    )


def caution(question: OrganiserQuestion) -> str:
    """What to mind before the question is published; empty: nothing."""
    if not is_assessor(question.asked_by, question.task.campaign):
        return ""
    return (
        "An assessor asks. A public answer shows the question to teams as well: answer in private if it tells which documents "
        "are judged, or how."
    )
