from django import forms

from campaign import lengths


class PublishForm(forms.Form):
    note = forms.CharField(
        required=False,
        max_length=lengths.BOARD_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What readers should know of this version: what changed since the last one, for example.",
    )
