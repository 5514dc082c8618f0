"""The pages on which qrels that were judged elsewhere are imported."""

from typing import Any, Final

from campaign.collection.views.import_pages import ImportPages
from campaign.models import Import, Task
from campaign.setup.selectors.phases import moves_on
from judging.judgments.selectors.at_revision import last_acts
from judging.qrels.import_forms import QrelsImportForm
from judging.qrels.services.imports import QRELS_JOBS


def _list_url(task: Task) -> str:
    return task.url("qrels_list")


def _context(task: Task) -> dict[str, Any]:
    return {
        "scale": ", ".join(str(grade.value) for grade in task.grades.all()),
        "qrels": task.qrels.order_by("-version").first(),
        "moves_on": moves_on(task, Task.SCORES),
        "newest": last_acts(task),
    }


QRELS_PAGES: Final = {
    Import.QRELS: ImportPages(
        form=QrelsImportForm,
        jobs=QRELS_JOBS,
        url_names="qrels_import",
        create_url=lambda task: task.url("qrels_import"),
        cancel_url=_list_url,
        url_after_discarding=_list_url,
        create_template="judging/qrels_import.html",
        detail_template="judging/qrels_import_detail.html",
        preview="judging/_qrels_preview.html",
        ready="judging/_qrels_ready.html",
        done="judging/_qrels_done.html",
        noun="line",
        verb="Release",
        working="Releasing the qrels",
        nothing="No qrels were released.",
        context=_context,
    )
}
