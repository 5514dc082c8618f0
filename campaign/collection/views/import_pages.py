"""What differs between the pages of different kinds of imports; the pages themselves stand in `imports.py`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from campaign.collection.forms import DocumentsImportForm, ImportForm, TopicsImportForm
from campaign.collection.services.imports import COLLECTION_JOBS, ImportJobs
from campaign.collection.services.repairs import Repair, document_repairs
from campaign.models import Import, Task

Url = Callable[[Task], str]
Repairs = Callable[[Import], Sequence[Repair]]


@dataclass(frozen=True, slots=True)
class ImportPages:
    """The pages of one kind of import.

    `url_names` is how the names of the URLs below an import begin. `preview`, `ready` and `done` are templates: the first
    records, notes for the organiser before confirming (may be ""), where to go afterwards. `noun` is what a record is
    called, `verb` what confirming does, `working` is shown while it runs, `nothing` after a discard. `context` gives
    the templates what only this kind shows. `repairs`: what can be done to a checked file without another one.
    """

    form: type[ImportForm]
    jobs: ImportJobs
    url_names: str
    create_url: Url
    cancel_url: Url
    url_after_discarding: Url
    create_template: str
    detail_template: str
    preview: str
    ready: str
    done: str
    noun: str
    verb: str
    working: str
    nothing: str
    context: Callable[[Task], dict[str, Any]]
    repairs: Repairs | None = None

    @property
    def kind(self) -> str:
        return self.form.kind

    def urls(self, import_: Import) -> dict[str, str]:
        """The addresses of the import's pages: detail, state, confirm, discard, repair if any, and create for another file."""
        steps = ("detail", "state", "confirm", "discard", *(("repair",) if self.repairs else ()))
        urls = {step: import_.task.url(f"{self.url_names}_{step}", import_id=import_.pk) for step in steps}
        return {**urls, "create": self.create_url(import_.task)}


def pages_of(
    form: type[ImportForm],
    jobs: ImportJobs,
    *,
    url_names: str,
    list_name: str,
    noun: str,
    verb: str,
    working: str,
    nothing: str,
    context: Callable[[Task], dict[str, Any]] = lambda task: {},
    repairs: Repairs | None = None,
) -> ImportPages:
    """The pages of a kind of a later app, below a list: its templates stand in the app's folder and are named by URL and kind."""
    folder = form.__module__.partition(".")[0]

    def list_url(task: Task) -> str:
        return task.url(list_name)

    return ImportPages(
        form=form,
        jobs=jobs,
        url_names=url_names,
        create_url=lambda task: task.url(url_names),
        cancel_url=list_url,
        url_after_discarding=list_url,
        create_template=f"{folder}/{url_names}.html",
        detail_template=f"{folder}/{url_names}_detail.html",
        preview=f"{folder}/_{form.kind}_preview.html",
        ready=f"{folder}/_{form.kind}_ready.html",
        done=f"{folder}/_{form.kind}_done.html",
        noun=noun,
        verb=verb,
        working=working,
        nothing=nothing,
        context=context,
        repairs=repairs,
    )


def _pages(form: type[ImportForm], ready: str = "", repairs: Repairs | None = None) -> ImportPages:
    def create_url(task: Task) -> str:
        return task.url("import_create", kind=form.kind)

    return ImportPages(
        form=form,
        jobs=COLLECTION_JOBS,
        url_names="import",
        create_url=create_url,
        cancel_url=Task.get_absolute_url,
        url_after_discarding=create_url,
        create_template="campaign/collection/import_create.html",
        detail_template="campaign/collection/import_detail.html",
        preview=f"campaign/collection/_{form.kind}_preview.html",
        ready=ready,
        done=f"campaign/collection/_{form.kind}_done.html",
        noun=form.kind.removesuffix("s"),
        verb="Import",
        working="Importing",
        nothing="Nothing was imported.",
        context=lambda task: {},
        repairs=repairs,
    )


TOPICS: Final = _pages(TopicsImportForm, ready="campaign/collection/_topics_ready.html")
DOCUMENTS: Final = _pages(DocumentsImportForm, repairs=document_repairs)
COLLECTION_PAGES: Final = {pages.kind: pages for pages in (TOPICS, DOCUMENTS)}
