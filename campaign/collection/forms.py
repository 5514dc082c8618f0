import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from campaign.collection.selectors.topics import DELETE, topics_may_be_replaced
from campaign.collection.services.document_imports import FIRST
from campaign.formats.encodings import ENCODINGS
from campaign.formats.problems import EXCERPT_LENGTH
from campaign.formats.text_changes import Piece, text_changes
from campaign.formats.topics.dialects import TO_NARRATIVE
from campaign.formats.topics.read import TOPIC_LIMITS
from campaign.models import Import, Task
from campaign.text import limits
from campaign.web.forms import require_size


class ImportForm(forms.Form):
    """One uploaded file; the options beside it are those of its kind."""

    kind = ""
    file = forms.FileField(allow_empty_file=True, widget=forms.FileInput)
    encoding = forms.ChoiceField(
        required=False,
        label="Character encoding",
        choices=[("", "UTF-8, or what the file itself shows"), *ENCODINGS.items()],
        help_text="Choose one only where the check says that lines are not UTF-8, or letters are wrong in its preview.",
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task

    @property
    def limit(self) -> int:
        return int(settings.UPLOAD_LIMIT_BYTES)

    def clean_file(self) -> "UploadedFile[bytes] | None":
        """None where the page takes several files and this one was not chosen."""
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file is not None:
            require_size(file, self.limit)
        return file

    def choices(self, options: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        """Name, value and words of what was chosen for a file before, as far as this form still asks for it.

        There are no words for what the form offers first.
        """
        chosen = [(name, options[name]) for name in self.fields if name != "file" and options.get(name)]
        return [(name, str(value), self._words(name, value)) for name, value in chosen]

    def _words(self, name: str, value: Any) -> str:
        field, label = self.fields[name], str(self[name].label)
        if value == field.initial:
            return ""
        offered: Any = getattr(field, "choices", ())
        words = dict(offered).get(value, value)
        return label if value is True else f"{label}: {words}"

    def upload(self) -> dict[str, Any]:
        """The file and the options, as `import_receive` takes them."""
        file = self.cleaned_data["file"]
        options = {name: value for name, value in self.cleaned_data.items() if name != "file" and value}
        return {"file": file, "file_name": file.name, "options": options}


def match_topics_field() -> forms.BooleanField:
    """Of files that name topics of the task."""
    return forms.BooleanField(
        required=False,
        label="Match topic numbers by their numerals",
        help_text="051 or MB051 is read as topic 51, where no other topic has these numerals. The check lists what it matched.",
    )


class TopicsImportForm(ImportForm):
    kind = Import.TOPICS
    replace = forms.BooleanField(
        required=False,
        label="Replace all topics of the task",
        help_text="Possible as long as no run, no pool, no judgment and no erratum rests on them.",
    )
    number_from = forms.CharField(
        required=False,
        max_length=EXCERPT_LENGTH,
        label="Number from",
        help_text="The key, element or column that holds the topic number. Empty: the usual ones.",
    )
    title_from = forms.CharField(
        required=False,
        max_length=EXCERPT_LENGTH,
        label="Title from",
        help_text="The key, element or column that holds the title. Empty: the usual ones.",
    )
    other_parts = forms.ChoiceField(
        required=False,
        label="Other parts",
        choices=[("", "leave out"), (TO_NARRATIVE, "append to the narrative")],
        help_text="What a topic here has no place for. Each part is appended as a paragraph: its name, a colon and its text.",
    )

    language = forms.CharField(
        required=False,
        max_length=EXCERPT_LENGTH,
        label="Language",
        help_text=(
            "Of topics in several languages: the code of the one to read, as the file writes it, such as fr. "
            "Empty: English, else the first."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = (
            "TREC <top>, XML with subtopics, tab-separated (number, title, description, narrative), CSV with headings "
            "or JSON; plain or gzip."
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
    shown_fields = forms.CharField(
        required=False,
        max_length=1_000,
        label="Fields to show",
        help_text=(
            "The JSON fields or TREC tags that make up the text, in this order, with commas between them: abstract, body. "
            "A field in a field: metadata.abstract. Empty: the usual ones; the check names what it left out."
        ),
    )

    repeated = forms.ChoiceField(
        required=False,
        label="Documents that come twice",
        choices=[("", "refuse the file, and name them"), (FIRST, "first: the first of them counts")],
        help_text="The same docno at two places in the file, as in bibliographies with a line for each edition.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lines = '{"docno": "…", "title": "…", "text": "…"}'
        formats = f"TREC <DOC>, JSON lines ({lines}), TSV or CSV with headings, PubMed's text; plain or gzip."
        pages = "Tags inside of a text of TREC <DOC> are left out: import pages of HTML as JSON lines."
        self.fields["file"].help_text = f"{formats} {pages}"

    def clean(self) -> None:
        if self.cleaned_data.get("docnos_only") and self.cleaned_data.get("shown_fields"):
            self.add_error("shown_fields", "A list of document numbers has no fields. Leave this empty.")


@dataclass(frozen=True, slots=True)
class Entry:
    """One text to correct, as it stands; with `rows` it has several lines."""

    name: str
    label: str
    text: str
    limit: int
    rows: int = 0
    required: bool = False


class CorrectionForm(forms.Form):
    """Texts to correct, and, once others have seen them, why.

    `seen`: the SHA-256 of the texts that the editor has before them, and a digest of each, by which it is known what the
    editor left alone.
    """

    seen = forms.CharField(max_length=10_000, required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any, *, entries: Sequence[Entry], seen: str, settled: bool) -> None:
        initial = {"seen": with_digests(seen, entries), **{entry.name: entry.text for entry in entries}}
        super().__init__(data, initial=initial)
        self.entries = entries
        self.changed_meanwhile: list[tuple[str, list[Piece]]] = []
        self.taken_over: list[str] = []
        for entry in entries:
            widget = forms.Textarea(attrs={"rows": entry.rows}) if entry.rows else forms.TextInput()
            self.fields[entry.name] = forms.CharField(
                label=entry.label, strip=False, required=entry.required, max_length=entry.limit, widget=widget
            )
        if settled:
            add_reason_and_note(self)

    def texts(self) -> dict[str, str]:
        """By name. What a browser alone changes, its line breaks, is no change."""
        return {
            entry.name: entry.text if text == as_browsers_send(entry) else text
            for entry in self.entries
            for text in [self.cleaned_data[entry.name].replace("\r\n", "\n")]
        }

    def why(self) -> dict[str, str]:
        """What services take besides the texts."""
        return {
            "reason": self.cleaned_data.get("reason", ""),
            "note": self.cleaned_data.get("note", ""),
            "seen_sha256": self.cleaned_data["seen"].partition(" ")[0],
        }

    def meet(self, stored: Sequence[Entry], seen: str, by: str) -> None:
        """Bring what somebody else has stored meanwhile together with what was sent; sent once more, that is saved.

        A text that the editor had left alone becomes the stored one; of the others both versions are shown.
        """
        sent = {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
        had = dict(zip(stored, self.cleaned_data["seen"].split()[1:], strict=False))
        values = {"seen": with_digests(seen, stored)}
        for entry in stored:
            mine = sent.get(entry.name)
            if mine is None or mine == as_browsers_send(entry):
                continue
            if had.get(entry) == digest(mine):
                values[entry.name] = entry.text
                self.taken_over.append(entry.label)
            else:
                self.changed_meanwhile.append((entry.label, text_changes(entry.text, mine)))
        self.data = with_values(self.data, values)
        self.met = True
        self.add_error(None, f"{by} changed these texts after you opened this page. Compare both, then save again.")

    met = False


def add_reason_and_note(form: forms.Form) -> None:
    form.fields["reason"] = forms.CharField(
        label="Reason",
        max_length=limits.REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For the organisers, kept in the log.",
    )
    form.fields["note"] = forms.CharField(
        label="Public note",
        max_length=limits.NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What changed, for everybody who sees the task: the list of errata shows it.",
    )


def with_values(sent: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """What was sent, with other values of some entries."""
    return {**{key: sent.get(key) for key in sent}, **values}


def with_digests(seen: str, entries: Sequence[Entry]) -> str:
    return " ".join([seen, *(digest(as_browsers_send(entry)) for entry in entries)])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def as_browsers_send(entry: Entry) -> str:
    text = entry.text.replace("\r\n", "\n").replace("\r", "\n")
    return text if entry.rows else text.replace("\n", "")


class ScoringForm(forms.Form):
    """Whether a topic counts. `act` says what the editor was asked: meanwhile something else may be possible."""

    act = forms.CharField(max_length=10, required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any, *, act: str) -> None:
        super().__init__(data, initial={"act": act})
        self.possible = act
        if act != DELETE:
            add_reason_and_note(self)

    def clean(self) -> None:
        if self.cleaned_data.get("act") != self.possible:
            self.data = with_values(self.data, {"act": self.possible})
            raise ValidationError("This topic has changed since you opened this page. Read what happens now.")
