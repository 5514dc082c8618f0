from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class ActForm(forms.Form):
    """What is to be done with a campaign; deleting is confirmed by typing its address."""

    act = forms.CharField(widget=forms.HiddenInput)


class DeleteForm(ActForm):
    address = forms.CharField(max_length=50, widget=forms.TextInput(attrs={"class": "code", "autocomplete": "off"}))

    def __init__(self, *args: Any, slug: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = slug
        self.fields["address"].help_text = f"Type {slug} to confirm."

    def clean_address(self) -> str:
        typed: str = self.cleaned_data["address"]
        if typed != self.slug:
            raise ValidationError(f"Nothing is deleted: this is not the address. Type {self.slug}, or cancel.")
        return typed


class RestoreForm(forms.Form):
    kind = forms.ChoiceField(choices=[("campaign", "campaign"), ("task", "task")])
    pk = forms.IntegerField(min_value=1, max_value=2**62, widget=forms.HiddenInput)
