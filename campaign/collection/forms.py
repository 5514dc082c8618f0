from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from campaign.collection.selectors.topics import topics_may_be_replaced
from campaign.formats.topics.read import TOPIC_LIMITS
from campaign.forms import require_size
from campaign.models import Import, Task


class ImportForm(forms.Form):
    """One uploaded file; the options beside it are those of its kind."""

    kind = ""
    file = forms.FileField(allow_empty_file=True, widget=forms.FileInput)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task

    @property
    def limit(self) -> int:
        return int(settings.UPLOAD_LIMIT_BYTES)

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        require_size(file, self.limit)
        return file

    def upload(self) -> dict[str, Any]:
        """The file and the options, as `import_receive` takes them."""
        file = self.cleaned_data["file"]
        options = {name: value for name, value in self.cleaned_data.items() if name != "file" and value}
        return {"file": file, "file_name": file.name, "options": options}


class TopicsImportForm(ImportForm):
    kind = Import.TOPICS
    replace = forms.BooleanField(
        required=False,
        label="Replace all topics of the task",
        help_text="Possible as long as no run, no pool and no judgment rests on them.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = (
            "TREC <top>, XML with subtopics, tab-separated (number, title, description, narrative) "
            "or JSON lines; plain or gzip."
        )
        if not self.task.topics.exists() or not topics_may_be_replaced(self.task):
            del self.fields["replace"]

    @property
    def limit(self) -> int:
        return min(super().limit, TOPIC_LIMITS.max_bytes)


class DocumentsImportForm(ImportForm):
    kind = Import.DOCUMENTS
    docnos_only = forms.BooleanField(
        required=False,
        label="The file is a plain list of document numbers, one on each line",
        help_text="The texts can be added later, if only for the documents that are judged.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        formats = 'TREC <DOC> or JSON lines ({"docno": "…", "title": "…", "text": "…"}); plain or gzip.'
        pages = "Of TREC <DOC> tags inside of a text are left out: import pages of HTML as JSON lines."
        self.fields["file"].help_text = f"{formats} {pages}"
