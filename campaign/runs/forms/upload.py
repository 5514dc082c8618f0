"""The upload of runs: one form for what they share, and a small one for each file, since each is a submission of its own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from campaign.formats.runs.tags import LONGEST_TAG
from campaign.models import Run, Task, Team, User
from campaign.runs.forms.details import PRIORITY_WORDS, AboutForm, priority_field
from campaign.runs.services.submission import run_submit, tag_of_file
from campaign.teams.selectors.quotas import Quota
from campaign.text.numbers import whole_number
from campaign.web.forms import EMPTY_FILE, add_errors


class FilesInput(forms.FileInput):
    """File input whose value is the list of all files sent, even where the page offers to choose only one."""

    def value_from_datadict(self, data: Any, files: "MultiValueDict[str, UploadedFile[Any]]", name: str) -> Any:
        return files.getlist(name)


class ManyFilesInput(FilesInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """Field for one or more files; each is checked by its own `OneFileForm`."""

    widget = ManyFilesInput

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[Any]]":
        if not data:
            raise ValidationError(self.error_messages["required"], code="required")
        return list(data)


class OneFileForm(forms.Form):
    """The file of one run with its tag and priority."""

    file = forms.FileField(error_messages={"empty": EMPTY_FILE})
    tag = forms.CharField(label="Run tag", max_length=LONGEST_TAG)
    priority = priority_field(required=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """The outcome of one file: a run, or the errors by field."""

    file_name: str
    run: Run | None
    refusal: ValidationError | None = None

    def messages(self) -> list[str]:
        return self.refusal.messages if self.refusal else []


class RunForm(AboutForm):
    """Upload of one or more files; tags and priorities are matched to the files by position."""

    team = forms.ModelChoiceField(queryset=Team.objects.none(), empty_label=None)
    file = ManyFilesField(
        label="Run files",
        widget=ManyFilesInput,
        error_messages={"required": "Choose a run file."},
        help_text="Lines of topic, Q0, docno, rank, score, run tag; plain or gzip. Each file is one run.",
    )
    tag = forms.CharField(
        required=False,
        label="Run tag",
        widget=forms.TextInput(
            attrs={"class": "code", "autocomplete": "off", "spellcheck": "false", "maxlength": LONGEST_TAG}
        ),
        help_text="The same as in the last column of the file. Empty: taken from the file, else from its name.",
    )
    priority = priority_field(required=False)
    field_order = ["team", "file", "tag", "kind", "priority", "description"]

    def __init__(self, *args: Any, quotas: list[Quota], replaces: Run | None = None, **kwargs: Any) -> None:
        super().__init__(*args, run=replaces, **kwargs)
        self.replaces = replaces
        quotas = [quota for quota in quotas if replaces is None or quota.team == replaces.team]
        teams = self.show_quotas(quotas)
        field = self.fields["team"]
        field.queryset = Team.objects.filter(pk__in=teams)  # type: ignore[attr-defined]
        field.initial = next((quota.team.pk for quota in quotas if quota.has_room), None)
        if len(teams) == 1:
            field.initial = quotas[0].team.pk
            field.widget = forms.HiddenInput()
            if replaces is None:
                self.fields["priority"].initial = Run.objects.next_priority(kwargs["task"], quotas[0].team)
        if replaces is not None:
            self._for_one_file(replaces.tag)
            if replaces.counts:
                self.fields["priority"].help_text = f"{PRIORITY_WORDS} Empty: that of the run it replaces."

    def show_quotas(self, quotas: list[Quota]) -> dict[int, Quota]:
        """Name each team with what it may still submit: again after files were sent."""
        teams = {quota.team.pk: quota for quota in quotas}
        self.fields["team"].label_from_instance = lambda team: with_quota(teams[team.pk])  # type: ignore[attr-defined]
        return teams

    def _for_one_file(self, tag: str) -> None:
        file = self.fields["file"]
        file.label, file.widget = "Run file", FilesInput()
        file.help_text = "Lines of topic, Q0, docno, rank, score, run tag; plain or gzip."
        self.fields["tag"].widget = forms.HiddenInput()
        self.fields["tag"].initial = tag

    def clean_file(self) -> "list[UploadedFile[Any]]":
        files: list[UploadedFile[Any]] = self.cleaned_data["file"]
        if self.replaces is not None and len(files) > 1:
            raise ValidationError("One run is replaced by one file. Choose one file.")
        return files

    def send(self, actor: User, task: Task, received_at: datetime) -> list[Sent]:
        """Submit each file of a valid form; the errors of a single file are added to the form's fields."""
        posted = list(self._one_by_one())
        sent = [self._send(form, actor=actor, task=task, received_at=received_at) for form in posted]
        if len(sent) == 1 and sent[0].refusal is not None:
            add_errors(self, sent[0].refusal)
        return sent

    def _one_by_one(self) -> Iterator[OneFileForm]:
        files = self.cleaned_data["file"]
        tags = _texts(self.data, "tag")
        priorities = _counting_on(_texts(self.data, "priority"), len(files))
        for number, file in enumerate(files):
            tag = self.replaces.tag if self.replaces else _at(tags, number) or tag_of_file(file, str(file.name))
            yield OneFileForm({"tag": tag, "priority": priorities[number]}, MultiValueDict({"file": [file]}))

    def _send(self, form: OneFileForm, **context: Any) -> Sent:
        name = str(form.files["file"].name)  # type: ignore[union-attr]
        if not form.is_valid():
            return Sent(name, None, ValidationError({field: list(errors) for field, errors in form.errors.items()}))
        shared = {key: self.cleaned_data[key] for key in ("team", "kind", "description", "answers")}
        own = {key: form.cleaned_data[key] for key in ("tag", "priority", "file")}
        replace = self.replaces is not None
        try:
            run = run_submit(file_name=name, replace=replace, **context, **shared, **own)
        except ValidationError as problem:
            return Sent(name, None, problem)
        return Sent(name, run)


def refused(sent: Iterable[Sent]) -> list[Sent]:
    return [one for one in sent if one.run is None]


def with_quota(quota: Quota) -> str:
    return f"{quota.team} ({'closed' if quota.window.why_closed else quota.left_in_words})"


def _texts(data: Any, name: str) -> list[str]:
    values = data.getlist(name) if hasattr(data, "getlist") else [data.get(name, "")]
    return [str(value).strip() for value in values]


def _at(values: Sequence[str], index: int) -> str:
    return values[index] if index < len(values) else ""


def _counting_on(given: Sequence[str], count: int) -> list[str]:
    """Return a priority for each file; missing ones count on from the last one given.

    >>> _counting_on(["4"], 3), _counting_on([], 2)
    (['4', '5', '6'], ['', ''])
    """
    priorities = list(given[:count])
    while len(priorities) < count:
        last = priorities[-1] if priorities else ""
        number = whole_number(last, most_digits=3)
        priorities.append(last if number is None else str(number + 1))
    return priorities
