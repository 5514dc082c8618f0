"""The pages on which qrels that were judged elsewhere are imported."""

from typing import Any, Final

from campaign.collection.views.import_pages import pages_of
from campaign.models import Import, Task
from campaign.setup.selectors.phases import moves_on
from judging.judgments.selectors.at_revision import last_acts
from judging.qrels.import_forms import QrelsImportForm
from judging.qrels.services.imports import QRELS_JOBS
from judging.qrels.services.repairs import qrels_repairs


def _context(task: Task) -> dict[str, Any]:
    return {
        "scale": ", ".join(str(grade.value) for grade in task.grades.all()),
        "qrels": task.qrels.order_by("-version").first(),
        "moves_on": moves_on(task, Task.SCORES),
        "newest": last_acts(task),
    }


QRELS_PAGES: Final = {
    Import.QRELS: pages_of(
        QrelsImportForm,
        QRELS_JOBS,
        url_names="qrels_import",
        list_name="qrels_list",
        noun="line",
        verb="Release",
        working="Releasing the qrels",
        nothing="No qrels were released.",
        context=_context,
        repairs=qrels_repairs,
    )
}
