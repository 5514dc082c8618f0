from django.db import models

from campaign.models import Task
from judging.models import Qrels


class WorkingBoard(models.Model):
    """The board of a task as it was computed last, replaced whole by the next one. Organisers see it; others a live board only.

    `mark`: of everything that it was computed from; another mark now means that it is not up to date.
    """

    COUNTING, FEEDBACK = "", "feedback"
    SCOPES = {COUNTING: "topics that count", FEEDBACK: "topics for feedback"}

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="working_boards")
    set_name = models.CharField("set of qrels", max_length=40, blank=True)
    scope = models.CharField("over which topics", max_length=8, choices=SCOPES, default=COUNTING, blank=True)
    qrels = models.ForeignKey(Qrels, on_delete=models.CASCADE, related_name="+")
    mark = models.CharField(max_length=64)
    board = models.FileField(max_length=200, help_text="JSON: runs, topics, columns, choice of tests.")
    values = models.FileField(max_length=200, help_text="float64, little-endian: runs by measures by topics.")
    p_of_pairs = models.FileField(max_length=200, blank=True, help_text="float64: measures by pairs of runs.")
    run_ids = models.JSONField(help_text="Of the board's runs, in its order.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "set_name", "scope"], name="working_board_once_per_set_and_scope")
        ]

    def __str__(self) -> str:
        return f"working board of {self.task}"
