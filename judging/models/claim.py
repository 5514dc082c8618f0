from django.db import models

from campaign.models import Topic
from judging.models.assignment import Assignment
from pooling.models import Pool


class Claim(models.Model):
    """A document of a growing pool that one assessor judges next: within a pass nobody else is shown it.

    It ends with the judgment, or when its assessor has not acted for a while.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="claims")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="claims")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="claims")
    pass_number = models.PositiveSmallIntegerField("pass", default=1)
    docno = models.CharField(max_length=200)
    claimed_at = models.DateTimeField(help_text="When its assessor last acted while holding it.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "pass_number", "docno"], name="claim_by_one_per_pass")
        ]

    def __str__(self) -> str:
        return f"{self.docno} by {self.assignment.assessor}"
