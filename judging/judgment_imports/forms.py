from typing import Any

from campaign.collection.forms import ImportForm
from campaign.models import Import


class JudgmentsImportForm(ImportForm):
    """A file of judgments of one or several assessors."""

    kind = Import.JUDGMENTS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].label = "File of judgments"
        self.fields["file"].help_text = (
            "CSV as it is exported, or with the columns topic, docno, assessor and grade; or JSON lines such as "
            '{"topic": "401", "docno": "D-1", "assessor": "anna", "grade": 2}. Plain text or gzip.'
        )
