"""Forms of practice: an assessor's grade, and the organiser's known answers."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from campaign.formats.sent_tables import TableError, decoded
from campaign.text import limits
from campaign.web.forms import require_size
from judging.forms import BrowserTextField, GradeField

LARGEST = 2**31 - 1


class PracticeGradeForm(forms.Form):
    answer = forms.IntegerField(min_value=1, max_value=LARGEST, widget=forms.HiddenInput)
    round = forms.IntegerField(min_value=1, max_value=LARGEST, widget=forms.HiddenInput)
    grade = GradeField()


class PracticeForm(forms.Form):
    """Known answers, typed or from a file; the file counts where both are given."""

    lines = BrowserTextField(
        label="Known answers",
        required=False,
        max_length=limits.PRACTICE,
        widget=forms.Textarea(attrs={"rows": 12, "class": "code", "spellcheck": "false"}),
        help_text="On each line: topic docno grade why. Assessors see the grade and why after they gave theirs. "
        "Empty: no practice.",
    )
    file = forms.FileField(required=False, help_text="Such lines as a text file, in UTF-8. It replaces what is above.")

    def clean(self) -> dict[str, Any]:
        file = self.cleaned_data.get("file")
        if file is not None:
            self.cleaned_data["lines"] = self._text_of(file)
        elif "\0" in self.cleaned_data.get("lines", ""):
            self.add_error("lines", "A NUL character cannot stand here.")
        return self.cleaned_data

    def _text_of(self, file: Any) -> str:
        try:
            require_size(file, limits.PRACTICE)
            return decoded(file.read())
        except ValidationError as problem:
            self.add_error("file", problem)
        except TableError as error:
            [(line, message)] = error.problems
            self.add_error("file", message if line is None else f"Line {line}: {message}")
        return ""
