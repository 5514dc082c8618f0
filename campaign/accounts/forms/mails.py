from typing import Any

from django import forms

from campaign.mail.choices import allowed_choices
from campaign.models import MailChoice
from campaign.models.mail import KINDS


class MailChoicesForm(forms.Form):
    """One entry for each kind of mail."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, about in KINDS.items():
            choices = [(choice, _words(kind, choice, words)) for choice, words in allowed_choices(kind).items()]
            self.fields[kind] = forms.ChoiceField(label=f"When {about}", choices=choices)


def _words(kind: str, choice: str, words: str) -> str:
    has_digest = MailChoice.DAILY in allowed_choices(kind)
    return "a mail" if choice == MailChoice.EACH and not has_digest else words
