"""The pages on which judgments of several assessors are imported."""

from typing import Final

from campaign.collection.views.import_pages import pages_of
from campaign.models import Import
from judging.judgment_imports.forms import JudgmentsImportForm
from judging.judgment_imports.services import JUDGMENTS_JOBS

JUDGMENTS_PAGES: Final = {
    Import.JUDGMENTS: pages_of(
        JudgmentsImportForm,
        JUDGMENTS_JOBS,
        url_names="judgments_import",
        list_name="judgment_list",
        noun="judgment",
        verb="Import",
        working="Importing the judgments",
        nothing="No judgment was imported.",
    )
}
