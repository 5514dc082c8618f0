"""What an import may be asked whatever its kind is: each app brings the form of its own."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Field, Path, Router, Status

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body, require_known
from campaign.api.fields import Text
from campaign.api.forms import accepted, as_sent
from campaign.api.paths import TaskPath
from campaign.collection.api.imports import IMPORT, ImportOut, import_answer, import_or_404
from campaign.collection.forms import DocumentsImportForm, ImportForm, TopicsImportForm
from campaign.collection.services import imports as services
from campaign.models import Import
from campaign.permissions import signed_in
from judging.judgment_imports.forms import JudgmentsImportForm
from judging.qrels.import_forms import NEW_SET, QrelsImportForm
from judging.qrels.services.merged_imports import SET
from pooling.forms import PoolImportForm

router = Router(tags=["Organising: files"])
FORMS: dict[str, type[ImportForm]] = {
    form.kind: form
    for form in (TopicsImportForm, DocumentsImportForm, PoolImportForm, QrelsImportForm, JudgmentsImportForm)
}


class CheckAgainIn(Body):
    options: dict[str, bool | Text] = Field(
        default_factory=dict,
        description='By name, as beside the file: {"encoding": "windows-1252"}. What is not named stays as it was chosen.',
    )


@router.post(f"{IMPORT}/check", response={202: ImportOut}, summary="Check an import again", **ORGANISING)
def check_import_again(
    request: HttpRequest, response: HttpResponse, path: Path[TaskPath], import_id: UUID, data: CheckAgainIn
) -> Status[ImportOut]:
    """Have the file that was sent checked with other options, before it is applied: it is not sent again."""
    import_ = import_or_404(request, path, import_id)
    jobs = services.jobs_of(import_.kind)
    options = _chosen(import_, data.options)
    services.import_check_again(actor=signed_in(request.user), import_=import_, options=options, jobs=jobs)
    return import_answer(response, import_)


def _chosen(import_: Import, asked: dict[str, Any]) -> dict[str, Any]:
    """The options that are asked for, as the form of the import's kind reads them beside those that stand."""

    def make(data: Any) -> ImportForm:
        form = FORMS[import_.kind](data, task=import_.task)
        del form.fields["file"]
        return form

    shown = make(None)
    of_set = {
        SET
    } & import_.options.keys()  # a set that the file is to begin can be taken back where the form offers no other
    require_known(asked, {*FORMS[import_.kind].base_fields, *shown.fields, *of_set} - {"file"}, "option")
    stands = {name: value for name, value in import_.options.items() if _may_stand(shown, name, value)}
    before, after = as_sent(make, stands), accepted(as_sent(make, {**stands, **asked}))
    before.is_valid()  # where it is not any more, what is asked for may mend it
    wanted = {*asked, SET} if NEW_SET in asked else asked
    return {name: value for name, value in after.items() if name in wanted or value != before.cleaned_data.get(name)}


def _may_stand(form: ImportForm, name: str, value: Any) -> bool:
    """A set that the file is to begin is stored as a choice that the form does not offer yet."""
    choices = getattr(form.fields.get(name), "choices", None)
    return name in form.fields and (choices is None or value in dict(choices))
