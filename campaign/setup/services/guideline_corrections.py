"""Guidelines and the words of grades after others have seen them."""

from collections.abc import Iterator, Mapping

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.versions import guidelines_version
from campaign.collection.services.corrections import (
    NOTHING_CHANGED,
    Change,
    Why,
    correction_write,
    require_seen,
)
from campaign.log.audit import audit
from campaign.models import Correction, Grade, Task, User
from campaign.permissions import locked_organised_task_or_404
from campaign.web.daily_limits import require_few_changes
from campaign.web.rendered_markdown import require_prose

SEEN = (
    "others may have seen them. Choose “Correct guidelines and grades” on the page of the task, where a correction becomes an "
    "erratum."
)
WORDS = ("label", "definition")
Words = Mapping[str, str]


@transaction.atomic
def guidelines_correct(
    *,
    actor: User,
    task: Task,
    guidelines: str | None = None,
    grades: Mapping[int, Words] | None = None,
    reason: str = "",
    note: str = "",
    seen_sha256: str | None = None,
) -> list[Correction]:
    """Change the guidelines, and labels and definitions of grades; return an erratum for each of them that changed.

    `grades`: value to some of label and definition. `seen_sha256`: the `guidelines_version` that the editor had;
    ChangedMeanwhileError if guidelines or grades are others now.
    """
    current = locked_organised_task_or_404(actor, task)
    before_sha256 = guidelines_version(current)
    require_seen(seen_sha256, before_sha256)
    changes = [*_guidelines(current, guidelines), *_grades(current, grades or {})]
    if not changes:
        raise ValidationError(NOTHING_CHANGED)
    after_sha256, why = guidelines_version(current), Why(reason, note)
    errata = []
    for kind, key, before, after in changes:
        change = Change(kind, key, before, after, before_sha256, after_sha256)
        if correction := correction_write(actor=actor, task=current, change=change, why=why):
            errata.append(correction)
    said = {f"{kind} {key}".strip(): [before, after] for kind, key, before, after in changes}
    numbers = [correction.number for correction in errata]
    require_few_changes(actor)
    audit(actor, "correct", current, campaign=current.campaign, changes=said, reason=reason, errata=numbers)
    return errata


Changes = Iterator[tuple[str, str, Words, Words]]


def _guidelines(task: Task, guidelines: str | None) -> Changes:
    if guidelines is None or guidelines == task.guidelines:
        return
    before, task.guidelines = task.guidelines, guidelines
    task.clean_fields(exclude=[field.name for field in Task._meta.fields if field.name != "guidelines"])
    require_prose("guidelines", guidelines)
    task.save(update_fields=["guidelines"])
    yield Correction.GUIDELINES, "", {"guidelines": before}, {"guidelines": guidelines}


def _grades(task: Task, wanted: Mapping[int, Words]) -> Changes:
    there = {grade.value: grade for grade in task.grades.all()}
    for value, words in wanted.items():
        if value not in there or (unknown := words.keys() - set(WORDS)):
            what = f"grade {value}" if value not in there else f"“{sorted(unknown)[0]}” of a grade"
            raise ValidationError({"grades": f"There is no {what} to correct."})
        grade = there[value]
        before = {name: getattr(grade, name) for name in WORDS}
        after = {name: text for name, text in words.items() if text != before[name]}
        if after:
            _save(grade, after)
            yield Correction.GRADE, str(value), {name: before[name] for name in after}, after


def _save(grade: Grade, words: Words) -> None:
    for name, text in words.items():
        setattr(grade, name, text)
    try:
        grade.full_clean()
    except ValidationError as problem:
        raise ValidationError({"grades": f"Grade {grade.value}: {problem.messages[0]}"}) from problem
    grade.save(update_fields=list(words))


def require_same_words(task: Task, before: str, words: Mapping[int, tuple[str, str]]) -> None:
    """Raise ValidationError where settings would change words that others may have seen: those need an erratum.

    `before` and `words`: the guidelines, and label and definition by grade, as they were; the task holds what they become.
    A grade that is not among the words is a new one.
    """
    if not texts_are_settled(task):
        return
    if task.guidelines != before:
        raise ValidationError({"guidelines": f"The guidelines stay: {SEEN}"})
    for grade in task.grades.all():
        if words.get(grade.value, (grade.label, grade.definition)) != (grade.label, grade.definition):
            raise ValidationError({"grades": f"Label and definition of grade {grade.value} stay: {SEEN}"})


def words_of(task: Task) -> dict[int, tuple[str, str]]:
    """Label and definition by grade."""
    return {grade.value: (grade.label, grade.definition) for grade in task.grades.all()}
