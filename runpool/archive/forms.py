from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from campaign.models import Archive, Campaign, Task
from campaign.models.campaign import slug_validator
from campaign.web.forms import require_size


class ArchiveForm(forms.ModelForm[Archive]):
    class Meta:
        model = Archive
        fields = ["task", "documents", "people"]
        widgets = {"documents": forms.RadioSelect, "people": forms.RadioSelect}
        labels = {"task": "What", "documents": "Documents", "people": "People"}
        help_texts = {
            "documents": "Texts only if their terms allow you to hand them on.",
            "people": "Notes, descriptions and other free texts are kept as they were written, and so are the names of teams.",
        }

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tasks = Task.objects.filter(campaign=campaign).order_by("pk")
        self.fields["task"] = forms.ModelChoiceField(
            tasks, required=False, label="What", empty_label="the whole campaign, with all its tasks"
        )


class ArchiveFileForm(forms.Form):
    file = forms.FileField(
        label="Archive", allow_empty_file=True, widget=forms.FileInput, help_text="The zip that a Runpool site made."
    )

    @property
    def limit(self) -> int:
        return int(settings.UPLOAD_LIMIT_BYTES)

    def clean_file(self) -> "UploadedFile[bytes]":
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        require_size(file, self.limit)
        return file


class RestorationForm(forms.Form):
    slug = forms.CharField(
        label="Address",
        max_length=50,
        validators=[slug_validator],
        help_text="Part of every address of the campaign, for good.",
        widget=forms.TextInput(attrs={"class": "code", "autocomplete": "off"}),
    )
