"""Setting the known answers, and practising on them. Nothing here touches judgments."""

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_COLLECTION, FirstHints
from campaign.formats.problems import visible
from campaign.log.audit import audit
from campaign.models import Document, Task, User
from campaign.permissions import locked_organised_task_or_404
from campaign.web.daily_limits import require_few_changes, require_few_of_person
from judging.models import PracticeAnswer, PracticeGrade
from judging.practice.lines import PracticeRead, read_practice
from judging.practice.selectors import round_of

MOST_PRACTISED_A_DAY = 5_000
"""By one person: rounds of practice have no last one."""


@transaction.atomic
def practice_set(*, actor: User, task: Task, text: str) -> PracticeRead:
    """Replace the answers by those of the text, unless it has problems. What was given to unchanged answers is kept."""
    task = locked_organised_task_or_404(actor, task)
    topics = {topic.number: topic for topic in task.topics.all()}
    read = read_practice(text, topics, [grade.value for grade in task.grades.all()])
    _require_documents(task, read)
    if not read.problems.ok:
        return read
    wanted = {(line.topic, line.docno): line for line in read.answers.values()}
    stays = {}
    for answer in task.practice_answers.select_related("topic"):
        line = wanted.get((answer.topic.number, answer.docno))
        if line is not None and line.grade == answer.grade:
            stays[answer.topic.number, answer.docno] = answer
    task.practice_answers.exclude(pk__in=[answer.pk for answer in stays.values()]).delete()
    for position, (pair, line) in enumerate(wanted.items(), start=1):
        same_grade = stays.get(pair)
        if same_grade is None:
            fields = {"position": position, "why": line.why, "grade": line.grade}
            PracticeAnswer.objects.create(task=task, topic=topics[line.topic], docno=line.docno, **fields)
        elif (same_grade.position, same_grade.why) != (position, line.why):
            PracticeAnswer.objects.filter(pk=same_grade.pk).update(position=position, why=line.why)
    require_few_changes(actor)
    audit(actor, "set practice answers", task, campaign=task.campaign, answers=len(wanted), kept=len(stays))
    return read


def _require_documents(task: Task, read: PracticeRead) -> None:
    named = {line.docno for line in read.answers.values()}
    there = Document.objects.filter(collection=task.collection_id, docno__in=named, has_text=True)
    texts, near = set(there.values_list("docno", flat=True)), FirstHints()
    missing = missing_in(Document.objects.filter(collection=task.collection_id, has_text=True), "docno")
    for number, line in read.answers.items():
        if line.docno not in texts:
            message = f"The collection has no text of document {visible(line.docno)}."
            remedy = "Import its text first, or take another document."
            remedy += near.hint(line.docno, missing, OF_COLLECTION)
            read.problems.add("practice_text", message, remedy, line=number)


@transaction.atomic
def practice_grade(*, user: User, answer: PracticeAnswer, round_number: int, grade: int) -> PracticeGrade:
    """Note a grade of the round that goes on; the first one given to an answer in a round stays."""
    if not answer.task.grades.filter(value=grade).exists():
        raise ValidationError(f"{grade} is no grade of this task: use one of the buttons.")
    if round_of(answer.task, user, round_number).number != round_number:
        raise ValidationError("This round of practice has not begun: finish the one before it first.")
    # Held, so that the answer cannot go while the grade is stored.
    if PracticeAnswer.objects.select_for_update(of=("self",), no_key=True).filter(pk=answer.pk).first() is None:
        raise ValidationError("The organisers have just changed the documents for practice: nothing was stored.")
    given, is_new = PracticeGrade.objects.get_or_create(
        answer=answer, user=user, round=round_number, defaults={"grade": grade}
    )
    if is_new:
        require_few_of_person(user, "answers in practice", MOST_PRACTISED_A_DAY)
    return given
