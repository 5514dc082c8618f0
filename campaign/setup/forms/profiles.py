from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator

from campaign.formats.source import lines_of
from campaign.models import Campaign

MOST_LINKS, LONGEST_LABEL, LONGEST_URL = 10, 80, 300
is_web_address = URLValidator(schemes=["https"])


class LinksField(forms.CharField):
    """Links as lines: a label, then an address; as the column holds them, a list of labels and urls."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        lines = [line.strip() for line in lines_of(super().to_python(value) or "")]
        links = [self._link(number, line) for number, line in enumerate(lines, start=1) if line]
        if len(links) > MOST_LINKS:
            raise ValidationError(f"Give at most {MOST_LINKS} links; these are {len(links)}.")
        return links

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(f"{link['label']} {link['url']}" for link in value) if isinstance(value, list) else value

    def run_validators(self, value: Any) -> None:
        """Without those of text: each line has been looked at."""

    @staticmethod
    def _link(number: int, line: str) -> dict[str, str]:
        label, _, url = line.rpartition(" ")
        problem = ""
        if not label.strip():
            problem = "write a label, a blank and the address"
        elif len(label) > LONGEST_LABEL or len(url) > LONGEST_URL or not label.isprintable():
            problem = f"a label has at most {LONGEST_LABEL} characters, an address {LONGEST_URL}"
        else:
            try:
                is_web_address(url)
            except ValidationError:
                problem = f"“{url}” is no address that begins with https://"
        if problem:
            raise ValidationError(f"Line {number}: {problem}.")
        return {"label": label.strip(), "url": url}


class ProfileForm(forms.ModelForm[Campaign]):
    links = LinksField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One on each line: a label, then the address. For example: Mailing list https://lists.example.org/velo",
    )
    logo = forms.FileField(
        required=False, widget=forms.FileInput, help_text="PNG, JPEG or WebP, at most 512 kB and 2,000 pixels a side."
    )
    removes_logo = forms.BooleanField(required=False, label="Remove the logo")

    class Meta:
        model = Campaign
        fields = ("contact", "website", "logo_text")

    field_order = ("contact", "website", "links", "logo", "logo_text", "removes_logo")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["links"] = self.instance.links
        self.initial.pop("logo", None)
        if not self.instance.logo:
            del self.fields["removes_logo"]
