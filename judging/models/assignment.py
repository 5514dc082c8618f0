from typing import Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from campaign.models import Campaign, Task, Topic, Visitor
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from judging.core.hashed_sampling import Draw, part_draw, share_draw
from pooling.models import Pool


class AssignmentQuerySet(KeepsStatesQuerySet["Assignment"]):
    def visible_to(self, user: Visitor) -> Self:
        """Assessors see their own; organisers those of their campaigns. Assessors are blind to each other."""
        if user.is_superuser:
            return self
        if not user.is_authenticated:
            return self.none()
        organised = Campaign.objects.organised_by(user).values("pk")
        return self.filter(Q(assessor=user) | Q(pool__task__campaign__in=organised))


class Assignment(KeepsStates):
    """One assessor judges one topic of a pool, a part of it or a random share; a second pass over it is another assignment.

    Which documents these are follows from seed, topic and docno (`judging.core.hashed_sampling`), never from a place in a
    pool. A hidden repeat shows its assessor again what they judged in an earlier pass.
    """

    unkept = frozenset({"finished_at", "reminded_for", "overdue_told_for"})
    goes_with = "topic"

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="assignments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    pass_number = models.PositiveSmallIntegerField("pass", default=1)
    parts = models.PositiveSmallIntegerField("parts of the topic", default=1)
    part = models.PositiveSmallIntegerField(default=1, help_text="Which of the parts, from 1.")
    part_seed = models.BigIntegerField(default=0)
    share = models.FloatField(
        null=True, blank=True, help_text="The share drawn of the documents; null for all of them."
    )
    share_seed = models.BigIntegerField(default=0)
    is_repeat = models.BooleanField("hidden repeat", default=False)
    due_on = models.DateField(null=True, blank=True, help_text="Null: when the task's assignments are due.")
    reminded_for = models.DateField(null=True, blank=True, help_text="The due date of which a mail reminded.")
    overdue_told_for = models.DateField(null=True, blank=True, help_text="The due date that a mail said to be past.")
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    handed_over_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on somebody else judges the rest."
    )
    handed_over_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = AssignmentQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["pool", "topic__position", "pass_number", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pool", "topic", "assessor", "pass_number", "parts", "part"], name="assignment_once_per_part"
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="assignment_pass_from_1"),
            models.CheckConstraint(condition=Q(part__gte=1, part__lte=F("parts")), name="assignment_part_of_parts"),
            models.CheckConstraint(
                condition=Q(share=None) | Q(share__gt=0, share__lte=1), name="assignment_share_up_to_1"
            ),
        ]

    @property
    def is_handed_over(self) -> bool:
        return self.handed_over_at is not None

    @property
    def draws(self) -> tuple[Draw, ...]:
        """What documents must fall into to belong to the assignment; none for a whole topic."""
        part = [part_draw(self.part_seed, self.part, self.parts)] if self.parts > 1 else []
        share = [] if self.share is None else [share_draw(self.share_seed, self.share)]
        return (*part, *share)

    @property
    def is_whole(self) -> bool:
        return not self.draws and not self.is_repeat

    @property
    def extent(self) -> str:
        """What of the topic it is about, in words for organisers; "" for the whole of it."""
        part = f"part {self.part} of {self.parts}" if self.parts > 1 else ""
        share = (
            "" if self.share is None else f"{self.share:.3g} drawn" if self.share < 0.01 else f"{self.share:.0%} drawn"
        )
        return ", ".join(filter(None, [part, share, "hidden repeat" if self.is_repeat else ""]))

    def __str__(self) -> str:
        return f"topic {self.topic.number} to {self.assessor}"


class AssigningRules(KeepsStates):
    """What holds for all assignments of a task: when they are due, and whether assessors take topics themselves."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="assigning_rules")
    due_on = models.DateField(
        "due on", null=True, blank=True, help_text="The last day, in the campaign's time zone. Empty: no date."
    )
    remind_days = models.PositiveSmallIntegerField(
        "days before, to remind",
        default=3,
        validators=[MaxValueValidator(60)],
        help_text="Assessors with unfinished topics get one mail so many days before, and one when the date is past.",
    )
    topics_are_open = models.BooleanField(
        "Assessors may take topics that nobody has",
        default=False,
        help_text="They find them on their page “My topics”, by number and title.",
    )
    topics_at_once = models.PositiveSmallIntegerField(
        "unfinished topics at once",
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Who has so many takes another when one is finished.",
    )
    avoids_conflicts = models.BooleanField(
        "Not by members of teams whose runs are in the pool",
        default=True,
        help_text="They would judge documents that their own runs brought in.",
    )

    def __str__(self) -> str:
        return f"rules of assigning in {self.task}"


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
