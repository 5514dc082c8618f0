from typing import Any
from uuid import uuid4

from django import forms

from campaign.models import Campaign, Milestone, Notice, OrganiserQuestion, Task, User
from campaign.models.fields import zone_named
from campaign.news.selectors.questions import readers_in_words
from campaign.news.selectors.recipients import Audience
from campaign.text import limits
from campaign.web.forms import ZonedDateTimeField


class AudienceForm(forms.Form):
    """Who a notice is for: also alone, for the count of its recipients."""

    audience = forms.ChoiceField(
        label="For",
        choices=[(name, words) for name, words in Notice.AUDIENCES.items() if name != Notice.SELECTION],
        initial=Notice.EVERYBODY,
        widget=forms.RadioSelect,
    )
    task = forms.ModelChoiceField(
        queryset=Task.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label="the whole campaign",
        help_text="What the notice is about. “Teams with a run” and “teams without a run” then mean this task.",
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._campaign = campaign
        self.fields["task"].queryset = campaign.tasks.order_by("pk")  # type: ignore[attr-defined]

    def meant(self, author: User) -> Audience:
        name, task = self.cleaned_data["audience"], self.cleaned_data["task"]
        return Audience(self._campaign, name, task=task, but=author).with_teams()


class NoticeForm(AudienceForm):
    use_required_attribute = (
        False  # the script that counts recipients sends nothing from a form with empty required entries
    )

    subject = forms.CharField(max_length=200)
    text = forms.CharField(
        max_length=limits.MAIL_TEXT,
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text="Markdown on the page and in the feed; in the mail it stands as you write it.",
    )
    batch = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)


class MilestoneForm(forms.ModelForm[Milestone]):
    at = ZonedDateTimeField(label="Date and time")
    link = forms.URLField(
        required=False, max_length=500, assume_scheme="https", help_text="A page about it, if there is one."
    )

    class Meta:
        model = Milestone
        fields = ("label", "at", "link")

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.campaign = campaign
        field = self.fields["at"]
        field.zone = zone_named(campaign.time_zone)  # type: ignore[attr-defined]
        field.label = f"{field.label} ({campaign.time_zone})"


class QuestionForm(forms.Form):
    text = forms.CharField(
        label="Question",
        max_length=limits.ORGANISER_QUESTION,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Plain text. Name no scores and no documents that you judge, if others must not know of them.",
    )
    shows_name = forms.BooleanField(
        required=False,
        label="Show my name if the answer is published",
        help_text="Otherwise only the organisers know who asked.",
    )


AS_ASKED = "They read the question as it was asked, with any scores and names in it."


class AnswerForm(forms.Form):
    """An answer, or the correction of one, which begins with what it corrects."""

    ASKER, EVERYBODY = "asker", "everybody"
    text = forms.CharField(
        label="Answer",
        max_length=limits.ORGANISER_ANSWER,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Plain text.",
    )
    audience = forms.ChoiceField(
        label="Who reads it",
        choices=[(ASKER, "private: who asked, and the organisers"), (EVERYBODY, "public, with the question")],
        widget=forms.RadioSelect,
    )
    seen = forms.IntegerField(
        required=False,
        min_value=0,
        widget=forms.HiddenInput,
        help_text="How many answers you have read: where there are others by now, yours is refused. Empty: any.",
    )

    def __init__(self, *args: Any, question: OrganiserQuestion, **kwargs: Any) -> None:
        answers = list(question.answers.all())
        initial: dict[str, Any] = {"seen": len(answers)}
        if answers:
            initial |= {"text": answers[-1].text, "audience": self.EVERYBODY if answers[-1].is_public else self.ASKER}
        kwargs["initial"] = {**initial, **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        self.fields["audience"].help_text = f"Public: {readers_in_words(question.task)}. {AS_ASKED}"

    def answer(self) -> dict[str, Any]:
        """What the service takes of it."""
        values = {name: self.cleaned_data[name] for name in ("text", "seen")}
        return {**values, "is_public": self.cleaned_data["audience"] == self.EVERYBODY}
