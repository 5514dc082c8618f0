"""The guidelines and the words of the grades, corrected by program."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from ninja import Field, Path, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body
from campaign.api.fields import Text
from campaign.api.paths import TASK, TaskPath
from campaign.collection.api.corrections import CorrectableTexts, CorrectionIn, WrittenErratum, corrected
from campaign.collection.selectors.corrections import texts_are_settled
from campaign.collection.selectors.versions import guidelines_version
from campaign.models import Correction, Task
from campaign.permissions import get_organised_task_or_404, signed_in
from campaign.setup.services.guideline_corrections import guidelines_correct
from campaign.text import limits

router = Router(tags=["Organising: corrections"])
GUIDELINES = f"{TASK}/guidelines"


class GradeWordsIn(Body):
    value: int = Field(ge=0, le=100, description="Of a grade that there is.")
    label: Text | None = Field(None, min_length=1, max_length=limits.GRADE_LABEL)
    definition: Text | None = Field(None, max_length=limits.GRADE_DEFINITION)


class GuidelinesIn(CorrectionIn):
    guidelines: Text | None = Field(None, max_length=limits.MARKDOWN, description="Markdown.")
    grades: list[GradeWordsIn] | None = Field(None, max_length=20, description="Words of grades that change.")


class GradeWords(Schema):
    value: int
    label: str
    definition: str


class GuidelinesOut(CorrectableTexts):
    guidelines: str
    grades: list[GradeWords]


@router.get(GUIDELINES, response=GuidelinesOut, summary="Read guidelines and grades to correct them")
def read_guidelines(request: HttpRequest, path: Path[TaskPath]) -> GuidelinesOut:
    """For organisers."""
    return _out(get_organised_task_or_404(request.user, path.campaign, path.task))


@router.patch(GUIDELINES, response=GuidelinesOut, summary="Correct guidelines and grades", **ORGANISING)
def correct_guidelines(request: HttpRequest, path: Path[TaskPath], data: GuidelinesIn) -> GuidelinesOut:
    """Texts that are not sent stay as they are. Values, gains and keys of grades belong to the settings."""
    task, actor = get_organised_task_or_404(request.user, path.campaign, path.task), signed_in(request.user)
    texts = data.texts()
    grades = {words.pop("value"): words for words in texts.pop("grades", [])}

    def save() -> list[Correction]:
        return guidelines_correct(actor=actor, task=task, grades=grades, **texts, **data.why())

    def stored() -> tuple[str, dict[str, Any]]:
        task.refresh_from_db()
        words = {one.value: {"label": one.label, "definition": one.definition} for one in task.grades.all()}
        return guidelines_version(task), {"guidelines": task.guidelines, "grades": words}

    errata = corrected(save, stored, sent={**texts, "grades": grades}, on=task)
    task.refresh_from_db()
    return _out(task, errata)


def _out(task: Task, errata: Sequence[WrittenErratum] = ()) -> GuidelinesOut:
    grades = [GradeWords(value=one.value, label=one.label, definition=one.definition) for one in task.grades.all()]
    return GuidelinesOut(
        sha256=guidelines_version(task),
        is_settled=texts_are_settled(task),
        errata=list(errata),
        guidelines=task.guidelines,
        grades=grades,
    )
