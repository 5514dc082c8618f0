"""Guidelines and the words of grades that others may have seen are corrected with an erratum, and in no other way."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from campaign.collection.selectors.versions import guidelines_version
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.models import Correction, Task
from campaign.setup.services.guideline_corrections import guidelines_correct
from campaign.setup.services.tasks import task_update
from tests.factories import Cast

pytestmark = pytest.mark.django_db
WHY = {"reason": "Assessors asked.", "note": "“Related” is explained."}


def test_settings_change_words_in_set_up_only(cast: Cast) -> None:
    renamed = [{"value": grade.value, "label": f"grade {grade.value}"} for grade in cast.task.grades.all()]
    for fields in ({"guidelines": "Read."}, {"grades": renamed}):
        with pytest.raises(ValidationError, match="becomes an erratum"):
            task_update(actor=cast.organiser, task=cast.task, **fields)
    assert cast.task.grades.get(value=1).label == "related"
    Task.objects.update(phase=Task.SETUP)
    task_update(actor=cast.organiser, task=cast.task, guidelines="Read.", grades=renamed)
    assert cast.task.grades.get(value=1).label == "grade 1"


def test_each_text_that_changes_is_an_erratum_and_all_share_the_hash_of_what_assessors_see(cast: Cast) -> None:
    before = guidelines_version(cast.task)
    errata = guidelines_correct(
        actor=cast.organiser, task=cast.task, guidelines="Read.", grades={1: {"label": "about it"}, 2: {}}, **WHY
    )
    after = guidelines_version(Task.objects.get(pk=cast.task.pk))
    assert [(one.kind, one.key, one.version) for one in errata] == [("guidelines", "", 2), ("grade", "1", 2)]
    assert {(one.before_sha256, one.after_sha256) for one in errata} == {(before, after)}
    with pytest.raises(ChangedMeanwhileError):
        guidelines_correct(actor=cast.organiser, task=cast.task, guidelines="x", seen_sha256=before, **WHY)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"guidelines": ""}, "Nothing is changed"),
        ({"grades": {9: {"label": "x"}}}, "no grade 9"),
        ({"grades": {1: {"gain": "7"}}}, "no “gain” of a grade"),
        ({"grades": {1: {"label": ""}}}, "Grade 1"),
        ({"guidelines": "x" * 50_001}, "50,000"),
    ],
)
def test_a_wrong_correction_changes_nothing(cast: Cast, fields: dict, problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        guidelines_correct(actor=cast.organiser, task=cast.task, **fields, **WHY)
    assert not Correction.objects.exists()


def test_the_page_asks_for_reason_and_note_and_shows_what_somebody_else_changed(cast: Cast, client: Client) -> None:
    client.force_login(cast.organiser)
    address = cast.task.url("guidelines_edit")
    form = client.get(address).context["form"]
    data = {name: str(form[name].value() or "") for name in form.fields} | {"guidelines": "*Read* it."}
    refused = client.post(address, data)
    assert refused.status_code == 422
    assert {"reason", "note"} <= refused.context["form"].errors.keys()
    guidelines_correct(actor=cast.organiser, task=cast.task, guidelines="Skim it.", **WHY)
    conflict = client.post(address, data | WHY)
    assert conflict.status_code == 409
    assert "Skim" in conflict.content.decode()
    assert Task.objects.get().guidelines == "Skim it."
    assert client.post(address, data | WHY | {"seen": conflict.context["form"]["seen"].value()}).status_code == 302
    assert Task.objects.get().guidelines == "*Read* it."
    settings = client.get(cast.task.url("task_edit")).content.decode()
    assert 'name="guidelines"' not in settings
    assert address in settings
