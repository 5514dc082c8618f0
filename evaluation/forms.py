from django import forms


class PublishForm(forms.Form):
    note = forms.CharField(
        required=False,
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="What readers should know of this version: what changed since the last one, for example.",
    )
