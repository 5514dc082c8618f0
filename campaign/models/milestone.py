from django.core.exceptions import ValidationError
from django.db import models

from campaign.models.campaign import Campaign
from campaign.models.fields import MomentField, require_plain_lines, web_address


class Milestone(models.Model):
    """A date of a campaign besides the deadlines of its tasks: notebook papers, the meeting."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="milestones")
    label = models.CharField("what happens", max_length=120, help_text="For example: notebook papers are due.")
    at = MomentField("date and time")
    link = models.URLField(max_length=500, blank=True, help_text="A page about it, if there is one.")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["at", "pk"]

    def clean(self) -> None:
        require_plain_lines(self)
        if self.link and not self.web_link:
            raise ValidationError(
                {"link": "Write an address of the web without a user name, such as https://example.org/x."}
            )

    def __str__(self) -> str:
        return self.label

    @property
    def web_link(self) -> str:
        """The link, if a page may show it: the form refuses others, other ways in might not."""
        return web_address(self.link)
