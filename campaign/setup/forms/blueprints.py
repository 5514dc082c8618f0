from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from campaign.formats.blueprint_files import LARGEST, BlueprintFileError, language_of, read_blueprint
from campaign.formats.encodings import wide_encoding
from campaign.models import Campaign
from campaign.setup.next_year import LONGEST_TITLE, free_slug, next_year
from campaign.web.forms import require_size


class BlueprintForm(forms.Form):
    """A file, or its text once it has been sent, so that it can be corrected on the page."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".toml,.yaml,.yml"}),
        help_text="TOML (.toml) or YAML: a file from “Export settings” of a campaign, or one for the command create_campaign.",
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label="Text of the file",
        widget=forms.Textarea(attrs={"rows": 16, "class": "code", "spellcheck": "false"}),
    )
    language = forms.ChoiceField(
        choices=[("toml", "TOML"), ("yaml", "YAML")], initial="toml", label="The text is in", widget=forms.RadioSelect
    )
    invites = forms.BooleanField(
        required=False,
        label="Invite the organisers and assessors that the file names",
        help_text="Each gets a mail, and has the role from when they accept it.",
    )

    def clean_file(self) -> "UploadedFile[bytes] | None":
        file: UploadedFile[bytes] | None = self.cleaned_data["file"]
        if file:
            require_size(file, LARGEST)
        return file

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if "file" in self.errors or "language" in self.errors:
            return cleaned
        if not file and not text.strip():
            raise ValidationError("Choose a file, or write its text below.")
        if file:
            cleaned["language"] = language_of(str(file.name))
        content = file.read() if file else text.encode("utf-8", "replace")
        cleaned["text"] = content.decode(wide_encoding(content) or "utf-8-sig", "replace")
        try:
            cleaned["blueprint"] = read_blueprint(content, cleaned["language"])
        except BlueprintFileError as problem:
            self.add_error(None, str(problem))
        return cleaned

    def shown_again(self) -> "BlueprintForm":
        """The same form with the text of the file in it, whose errors are shown; a browser never sends a file again by itself."""
        names = ("text", "language", "invites")
        again = BlueprintForm(initial={name: self.cleaned_data.get(name) for name in names})
        again.errors.update(self.errors)
        if self.errors:  # all of them are about the file, whose text stands here
            again.fields["text"].widget.attrs["aria-invalid"] = "true"
        return again


class CopyForm(forms.ModelForm[Campaign]):
    SHIFTED, EMPTY = "shifted", "empty"

    dates = forms.ChoiceField(
        choices=[(SHIFTED, "a year later, as proposed below"), (EMPTY, "none: to be set in each task")],
        initial=SHIFTED,
        widget=forms.RadioSelect,
        label="Openings and deadlines",
    )
    invites = forms.BooleanField(
        required=False,
        label="Invite the organisers and assessors of this campaign",
        help_text="Each gets a mail, and has the role from when they accept it. You organise the new campaign in any case.",
    )

    class Meta:
        model = Campaign
        fields = ["title", "slug"]
        error_messages = {"slug": {"unique": "This address is not free. Choose another."}}

    def __init__(self, data: Any, *, source: Campaign) -> None:
        taken = set(Campaign.objects.values_list("slug", flat=True))
        initial = {"title": next_year(source.title)[:LONGEST_TITLE], "slug": free_slug(source.slug, taken)}
        super().__init__(data, initial=initial)
