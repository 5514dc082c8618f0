from django import forms
from django.db.models import QuerySet

from campaign.models import Campaign, Visitor
from runpool.overview.selectors.campaigns import CampaignEntry, CampaignFilter, campaigns_found


class CampaignFilterForm(forms.Form):
    search = forms.CharField(required=False, max_length=100, widget=forms.SearchInput)
    state = forms.ChoiceField(required=False, choices=[("", "any"), *((state, state) for state in CampaignEntry.TONES)])
    own = forms.BooleanField(required=False, label="mine only")

    @property
    def wanted(self) -> CampaignFilter:
        """The valid filters; invalid ones in the address are ignored."""
        self.is_valid()
        return CampaignFilter(**self.cleaned_data)

    def campaigns(self, user: Visitor) -> "QuerySet[Campaign]":
        return campaigns_found(user, self.wanted)
