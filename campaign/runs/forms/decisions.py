from django import forms

from campaign.text import limits


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=limits.REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Sent to the team by mail, shown to it on the run's page, and kept in the log.",
    )
