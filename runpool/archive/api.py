"""Archives of a campaign made and taken away by program, and archives that come in to be restored."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Field, File, Path, Router, Schema, Status, UploadedFile

from campaign.api.auth import ORGANISING, ORGANISING_UPLOAD
from campaign.api.bodies import Body, require_known_parts
from campaign.api.fields import LARGEST, one_of
from campaign.api.files import ZIP
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.jobs import JobOut, job_out
from campaign.api.paths import CAMPAIGN, CampaignPath
from campaign.collection.api.imports import FoundProblem, found_problem
from campaign.models import Archive, Restoration
from campaign.permissions import get_or_404, get_organised_campaign_or_404, require_founder, signed_in
from campaign.web.links import absolute
from campaign.web.uploads import upload_place
from runpool.archive.exports import archive_file
from runpool.archive.forms import ArchiveFileForm, ArchiveForm, RestorationForm
from runpool.archive.selectors import (
    ShownArchive,
    campaign_archives,
    own_restorations,
    restoration_job,
    shown_archive,
)
from runpool.archive.services import requests

router = Router(tags=["Organising: archives"])
ARCHIVES = f"{CAMPAIGN}/archives"
RESTORATION = "/restorations/{uuid:restoration}"
STATES = {"ready": "done", "file removed": "removed", "being made": "working", "failed": "failed"}
Key = Annotated[int, Path(ge=1, le=LARGEST)]
ArchiveIn = form_body("ArchiveIn", ArchiveForm)
RestorationIn = form_body("RestorationIn", RestorationForm, optional=True)


class ArchiveOut(Schema):
    id: int
    state: str = one_of(STATES.values(), "removed: its file is gone after some time; the checksums stay.")
    task: str | None = Field(description="null: the whole campaign.")
    documents: str = one_of(Archive.DOCUMENTS)
    people: str = one_of(Archive.PEOPLE)
    sha256: str = Field(description="Of the file; empty until it is made.")
    content_sha256: str = Field(description="The same for every archive of the same content.")
    size: int
    created_by: str
    created_at: datetime
    made_at: datetime | None
    job: JobOut | None


class RestorationOut(Schema):
    id: UUID
    state: str = one_of(
        Restoration.STATES, "checking; ready: confirm or discard it; bad: see `problems`; restoring; done; discarded."
    )
    file_name: str
    size: int
    sha256: str = Field(description="Of the bytes that arrived.")
    found: dict[str, Any] = Field(description="What the check found.")
    problems: list[FoundProblem]
    slug: str = Field(description="Where it is restored, or would be.")
    campaign: str | None = Field(description="The slug of what it became; null until then.")
    is_stuck: bool = Field(description="Its job failed or is lost: confirm it again, or discard it.")
    job: JobOut | None = Field(description="The newest about it.")
    created_at: datetime
    finished_at: datetime | None


@router.get(ARCHIVES, response=list[ArchiveOut], summary="List archives of a campaign")
def list_archives(request: HttpRequest, path: Path[CampaignPath]) -> list[ArchiveOut]:
    """For organisers: the newest 50."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    return [_archive(shown) for shown in campaign_archives(campaign)]


@router.post(ARCHIVES, response={202: ArchiveOut}, summary="Ask for an archive", **ORGANISING)
def make_archive(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[CampaignPath],
    data: ArchiveIn,  # type: ignore[valid-type]
) -> Status[ArchiveOut]:
    """Of the campaign, or of one `task`. Also of an archived campaign. Ask until `state` is done or failed."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(partial(ArchiveForm, campaign=campaign), sent))
    archive = requests.archive_request(actor=signed_in(request.user), campaign=campaign, **values)
    names = {"campaign": campaign.slug, "archive": archive.pk}
    response["Location"] = absolute(reverse("api:read_archive", kwargs=names))
    return Status(202, _archive(shown_archive(archive)))


@router.get(f"{ARCHIVES}/{{archive}}", response=ArchiveOut, summary="Read how far an archive is")
def read_archive(request: HttpRequest, path: Path[CampaignPath], archive: Key) -> ArchiveOut:
    """For organisers."""
    return _archive(shown_archive(_own_archive(request, path, archive)))


@router.get(f"{ARCHIVES}/{{archive}}/file", summary="Download an archive", openapi_extra=ZIP)
def download_archive(request: HttpRequest, path: Path[CampaignPath], archive: Key) -> FileResponse:
    """For organisers: the zip. 404 where there is no file yet, or no more."""
    return archive_file(_own_archive(request, path, archive))


@router.post("/restorations", response={202: RestorationOut}, summary="Send an archive", **ORGANISING_UPLOAD)
def send_archive(request: HttpRequest, response: HttpResponse, file: File[UploadedFile]) -> Status[RestorationOut]:
    """The zip that a Runpool site made. It is checked; nothing is restored before you confirm."""
    require_founder(request.user)
    require_known_parts(request, Body, files=("file",))
    with upload_place():
        sent = accepted(ArchiveFileForm({}, request.FILES))["file"]
        actor = signed_in(request.user)
        restoration = requests.restoration_receive(actor=actor, file=sent, file_name=sent.name)
        return _answer(response, restoration)


@router.get("/restorations", response=list[RestorationOut], summary="List archives that you sent")
def list_restorations(request: HttpRequest) -> list[RestorationOut]:
    """The newest 10, without those discarded."""
    return [_restoration(one) for one in own_restorations(signed_in(request.user))]


@router.get(RESTORATION, response=RestorationOut, summary="Read how far a restoration is")
def read_restoration(request: HttpRequest, restoration: UUID) -> RestorationOut:
    """Ask until `state` is neither checking nor restoring."""
    return _restoration(_own(request, restoration))


@router.post(f"{RESTORATION}/confirm", response={202: RestorationOut}, summary="Restore an archive", **ORGANISING)
def confirm_restoration(
    request: HttpRequest,
    response: HttpResponse,
    restoration: UUID,
    data: RestorationIn,  # type: ignore[valid-type]
) -> Status[RestorationOut]:
    """As a new campaign at `slug`; left out: where it was. Confirming twice restores once."""
    require_founder(request.user)
    own = _own(request, restoration)
    sent = data.model_dump(exclude_unset=True)  # type: ignore[attr-defined]
    values = accepted(as_sent(partial(RestorationForm, initial={"slug": own.found.get("slug", "")}), sent))
    requests.restoration_confirm(actor=signed_in(request.user), restoration=own, **values)
    return _answer(response, own)


@router.post(f"{RESTORATION}/discard", response=RestorationOut, summary="Discard an archive", **ORGANISING)
def discard_restoration(request: HttpRequest, restoration: UUID) -> RestorationOut:
    """Nothing of it is restored."""
    own = _own(request, restoration)
    requests.restoration_discard(actor=signed_in(request.user), restoration=own)
    return _restoration(own)


def _own_archive(request: HttpRequest, path: CampaignPath, key: int) -> Archive:
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    of_campaign = Archive.objects.filter(campaign=campaign)
    return get_or_404(of_campaign.select_related("campaign", "task", "created_by"), pk=key)


def _own(request: HttpRequest, key: UUID) -> Restoration:
    return get_or_404(Restoration.objects.visible_to(request.user), pk=key)


def _archive(shown: ShownArchive) -> ArchiveOut:
    archive = shown.archive
    same = ("documents", "people", "sha256", "content_sha256", "size", "created_at", "made_at")
    return ArchiveOut(
        id=archive.pk,
        state=STATES[shown.state[1]],
        task=archive.task.slug if archive.task else None,
        created_by=str(archive.created_by),
        job=job_out(shown.job) if shown.job else None,
        **{name: getattr(archive, name) for name in same},
    )


def _answer(response: HttpResponse, restoration: Restoration) -> Status[RestorationOut]:
    response["Location"] = absolute(reverse("api:read_restoration", kwargs={"restoration": restoration.pk}))
    return Status(202, _restoration(restoration))


def _restoration(restoration: Restoration) -> RestorationOut:
    job = restoration_job(restoration)
    restoration.refresh_from_db()
    same = ("state", "file_name", "size", "sha256", "found", "slug", "created_at", "finished_at")
    return RestorationOut(
        id=restoration.pk,
        **{name: getattr(restoration, name) for name in same},
        problems=[found_problem(one) for one in restoration.problems.get("shown", [])],
        campaign=restoration.campaign.slug if restoration.campaign and restoration.state == Restoration.DONE else None,
        is_stuck=requests.restoration_is_stuck(restoration),
        job=job_out(job) if job else None,
    )
