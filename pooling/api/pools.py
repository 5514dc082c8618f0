"""Pools as organisers preview, freeze and read them, by the settings of the builder."""

from datetime import datetime
from typing import Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Field, File, Form, Path, Query, Router, Schema, Status, UploadedFile

from campaign.api.auth import ORGANISING, ORGANISING_UPLOAD
from campaign.api.bodies import Body, ToConfirm, require_known
from campaign.api.fields import LARGEST, Text, one_of
from campaign.api.files import TEXT
from campaign.api.forms import accepted, form_body
from campaign.api.jobs import JobOut, asked_for, job_out
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import TASK, TaskPath
from campaign.collection.api.imports import IMPORTS, ImportOut, take_in
from campaign.collection.services.topic_matching import MATCH_TOPICS
from campaign.models import Task
from campaign.permissions import get_organised_task_or_404, get_task_or_404, signed_in
from campaign.web.links import absolute
from pooling.core.strategies.parameters import Parameter
from pooling.core.strategies.registry import STRATEGIES
from pooling.forms import PoolForm, PoolImportForm
from pooling.models import Pool
from pooling.permissions import get_pool_or_404
from pooling.selectors.cautions import freezing_consequences
from pooling.selectors.pools import latest_pool, pool_text, pooled_docnos, task_pools
from pooling.selectors.previews import (
    Asked,
    Computed,
    PoolPreview,
    compute,
    computed_before,
    is_quick,
    preview_of,
    previewed,
)
from pooling.selectors.runs import valid_runs
from pooling.selectors.sizes import entry_count
from pooling.services.imports import POOL_JOBS, RANDOM
from pooling.services.pools import Confirmed, pool_freeze_request
from pooling.services.previews import preview_request

router = Router(tags=["Organising: pools"])
POOLS = f"{TASK}/pools"
Version = Annotated[int, Path(ge=1, le=LARGEST)]
OWN = ("strategy", "settings", "confirm")
_options: dict[str, Any] = {
    RANDOM: (bool, Field(False, description="Judge the documents of each topic in random order.")),
    MATCH_TOPICS: (
        bool,
        Field(False, description="Read 051 or MB051 as topic 51, where no other topic has these numerals."),
    ),
}
PoolImportIn = form_body("PoolImportIn", PoolImportForm, more=_options)


class SettingOut(Schema):
    name: str
    label: str
    help: str
    default: str


class StrategyOut(Schema):
    name: str
    label: str
    settings: list[SettingOut] = Field(description="What it asks for besides the settings of all pools.")


class PoolSettings(Body):
    strategy: str = Field(next(iter(STRATEGIES)), json_schema_extra={"enum": list(STRATEGIES)})
    settings: dict[Text, Text | int | float | bool] = Field({}, description="Of the strategy, by their names.")
    max_priority: int | None = Field(None, ge=1, le=LARGEST, description="Runs up to this priority only.")
    runs_per_team: int | None = Field(None, ge=1, le=LARGEST)
    order: Text | None = Field(None, description="In which assessors judge. Left out: random.")
    seed: int | None = Field(None, ge=0, le=LARGEST, description="The same runs, settings and seed: the same pool.")


class PoolIn(PoolSettings, ToConfirm):
    pass


class RunShare(Schema):
    tag: str
    team: str
    contributed: int = Field(description="Pooled pairs that it brings in.")
    unique: int = Field(description="Those of them that no other team brings in.")


class TopicSize(Schema):
    topic: str
    documents: int
    new: int = Field(description="In no earlier version.")


class PreviewOut(Schema):
    is_ready: bool = Field(description="false: `job` computes it. Ask again with the same settings when it is done.")
    job: JobOut | None
    spec: dict[str, Any] = Field(description="The settings as they would be kept.")
    pairs: int | None
    new: int | None = Field(description="Pairs that no earlier version holds.")
    unjudged: int | None
    hours: float | None = Field(description="For the unjudged pairs, at the usual 30 seconds each.")
    topics: list[TopicSize]
    runs: list[RunShare]
    consequences: list[str] = Field(description="What follows when this is frozen.")


class PoolOut(Schema):
    version: int
    strategy: str
    spec: dict[str, Any]
    order: str
    seed: int
    pairs: int = Field(description="So far, where the pool grows while it is judged.")
    grows: bool
    is_imported: bool
    runs: int
    sampled_by: str = one_of(("", "stratum", "probability"), "Empty: it is no sample.")
    sha256: str = Field(description="Of the pool file.")
    frozen_by: str
    frozen_at: datetime
    url: str = Field(description="Its page.")


class DocnosWanted(Schema):
    without_text: bool = Field(False, description="Only documents of which the task has no text.")


@router.get("/pool-strategies", response=list[StrategyOut], summary="List pooling strategies")
def list_pool_strategies(request: HttpRequest) -> list[StrategyOut]:
    """What pools can be drawn by."""
    return [
        StrategyOut(name=method.name, label=method.label, settings=[_setting(one) for one in method.parameters])
        for method in STRATEGIES.values()
    ]


@router.get(POOLS, response=Page[PoolOut], summary="List pools")
def list_pools(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[PoolOut]:
    """For organisers: the versions, the newest first."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return page_of(request, task_pools(task), paging, _pool)


@router.post(f"{TASK}/pool-preview", response=PreviewOut, summary="Preview a pool", **ORGANISING)
def preview_pool(request: HttpRequest, path: Path[TaskPath], data: PoolSettings) -> PreviewOut:
    """What it would hold and cost. Nothing is frozen; of large tasks a job computes it."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    asked = _asked(task, data)
    computed = _computed(asked)
    if computed is None:
        return _waiting(asked, job_out(preview_request(actor=signed_in(request.user), asked=asked)))
    return _preview(task, asked, _figured(asked, computed))


@router.post(POOLS, response={202: JobOut}, summary="Freeze a pool", **ORGANISING)
def freeze_pool(request: HttpRequest, response: HttpResponse, path: Path[TaskPath], data: PoolIn) -> Status[JobOut]:
    """The next version, drawn by a job from the runs that are valid now. It can never be changed or deleted."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    asked = _asked(task, data)
    computed = _computed(asked)
    if not asked.taken:
        raise ValidationError("No valid run fits these settings. A pool needs at least one valid run.")
    if computed is not None and not _figured(asked, computed).size:
        raise ValidationError(
            "The pooled runs hold no document for any topic of this task, so there is nothing to judge."
        )
    if not data.confirm:
        unknown = ["The pool can never be changed or deleted. Preview it to see what it holds."]
        data.require(unknown if computed is None else freezing_consequences(task, _figured(asked, computed)))
    latest = latest_pool(task)
    confirmed = Confirmed(asked.fingerprint, latest.version if latest else 0)
    job = pool_freeze_request(actor=signed_in(request.user), task=task, spec=asked.spec, confirmed=confirmed)
    return asked_for(response, task, job)


@router.post(f"{IMPORTS}/pool", response={202: ImportOut}, summary="Send a pool", **ORGANISING_UPLOAD)
def import_pool(
    request: HttpRequest,
    response: HttpResponse,
    path: Path[TaskPath],
    data: Form[PoolImportIn],  # type: ignore[valid-type]
    file: File[UploadedFile],
) -> Status[ImportOut]:
    """Topic and docno on each line; of a sample with stratum and probability. It is frozen when you confirm the import."""
    return take_in(request, response, path, PoolImportForm, data, file, POOL_JOBS)


@router.get(f"{POOLS}/{{version}}", response=PoolOut, summary="Read a pool")
def read_pool(request: HttpRequest, path: Path[TaskPath], version: Version) -> PoolOut:
    """For organisers."""
    return _pool(_found(request, path, version))


@router.get(f"{POOLS}/{{version}}/file", summary="Download a pool", openapi_extra=TEXT)
def download_pool(request: HttpRequest, path: Path[TaskPath], version: Version) -> HttpResponse:
    """Its entries in judging order, as they were drawn; the checksum of the pool is that of these bytes."""
    text = pool_text(_found(request, path, version))
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=_attached(path, f"pool-{version}"))


@router.get(f"{POOLS}/{{version}}/docnos", summary="Download the docnos of a pool", openapi_extra=TEXT)
def download_pool_docnos(
    request: HttpRequest, path: Path[TaskPath], version: Version, wanted: Query[DocnosWanted]
) -> StreamingHttpResponse:
    """One on each line, each once: to fetch the texts of these only."""
    docnos = pooled_docnos(_found(request, path, version), without_text=wanted.without_text)
    lines = (f"{docno}\n" for docno in docnos.iterator())
    headers = _attached(path, f"pool-{version}-docnos")
    return StreamingHttpResponse(lines, content_type="text/plain; charset=utf-8", headers=headers)


def _attached(path: TaskPath, name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{path.campaign}-{path.task}-{name}.txt"'}


def _setting(one: Parameter) -> SettingOut:
    usual = "" if one.optional else one.to_text(one.default)
    return SettingOut(name=one.name, label=one.label, help=one.help, default=usual)


def _found(request: HttpRequest, path: TaskPath, version: int) -> Pool:
    return get_pool_or_404(request.user, get_task_or_404(request.user, path.campaign, path.task), version)


def _asked(task: Task, data: PoolSettings) -> Asked:
    """By the form of the builder, which reads what is typed."""
    if data.strategy not in STRATEGIES:
        raise ValidationError({"strategy": f"There is no such strategy. Strategies: {', '.join(STRATEGIES)}."})
    runs = valid_runs(task)
    common = data.model_dump(exclude={*OWN}, exclude_none=True)
    typed = {name: _typed(value) for name, value in {**common, **data.settings}.items()}
    form = PoolForm({**typed, "strategy": data.strategy}, runs=runs)
    require_known(data.settings, [one.name for one in form.method.parameters], "setting")
    accepted(form)
    return previewed(task, form.spec(), None, runs)


def _typed(value: str | int | float | bool) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _computed(asked: Asked) -> Computed | None:
    return computed_before(asked) or (compute(asked) if is_quick(asked) else None)


def _figured(asked: Asked, computed: Computed) -> PoolPreview:
    if computed.figures is None:
        raise ValidationError(computed.refusal)
    return preview_of(asked, computed.figures)


def _waiting(asked: Asked, job: JobOut) -> PreviewOut:
    unknown: dict[str, Any] = dict.fromkeys(("pairs", "new", "unjudged", "hours"))
    return PreviewOut(
        is_ready=False, job=job, spec=asked.spec.to_json(), topics=[], runs=[], consequences=[], **unknown
    )


def _preview(task: Task, asked: Asked, preview: PoolPreview) -> PreviewOut:
    figures = preview.figures
    return PreviewOut(
        is_ready=True,
        job=None,
        spec=asked.spec.to_json(),
        pairs=figures.total,
        new=figures.new,
        unjudged=figures.unjudged,
        hours=figures.hours,
        topics=[TopicSize(topic=one.topic, documents=one.documents, new=one.new) for one in figures.topics],
        runs=[
            RunShare(tag=one.tag, team=one.team, contributed=one.contributed, unique=one.unique) for one in figures.runs
        ],
        consequences=freezing_consequences(task, preview) if preview.size else [],
    )


def _pool(pool: Pool) -> PoolOut:
    same = ("version", "strategy", "spec", "order", "seed", "grows", "is_imported", "sampled_by", "sha256", "frozen_at")
    return PoolOut(
        **{name: getattr(pool, name) for name in same},
        pairs=entry_count(pool),
        runs=pool.pool_runs.count(),
        frozen_by=str(pool.frozen_by),
        url=absolute(pool.get_absolute_url()),
    )
