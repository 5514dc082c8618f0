"""The pages on which judgments of several assessors are imported."""

from typing import Final

from campaign.collection.views.import_pages import ImportPages
from campaign.models import Import, Task
from judging.judgment_imports.forms import JudgmentsImportForm
from judging.judgment_imports.services import JUDGMENTS_JOBS


def _list_url(task: Task) -> str:
    return task.url("judgment_list")


JUDGMENTS_PAGES: Final = {
    Import.JUDGMENTS: ImportPages(
        form=JudgmentsImportForm,
        jobs=JUDGMENTS_JOBS,
        url_names="judgments_import",
        create_url=lambda task: task.url("judgments_import"),
        cancel_url=_list_url,
        url_after_discarding=_list_url,
        create_template="judging/judgments_import.html",
        detail_template="judging/judgments_import_detail.html",
        preview="judging/_judgments_preview.html",
        ready="judging/_judgments_ready.html",
        done="judging/_judgments_done.html",
        noun="judgment",
        verb="Import",
        working="Importing the judgments",
        nothing="No judgment was imported.",
        context=lambda task: {},
    )
}
