from django.conf import settings
from django.db import models

from campaign.models import Task, Topic
from campaign.models.fields import LimitedTextField
from campaign.models.row_states import KeepsStates
from campaign.text import limits


class PracticeAnswer(KeepsStates):
    """A document with a known grade, on which newcomers practise. Nothing of it is a judgment."""

    goes_with = "topic"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="practice_answers")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="practice_answers")
    docno = models.CharField(max_length=200)
    grade = models.SmallIntegerField()
    why = LimitedTextField(limit=limits.NOTE, blank=True)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["task", "position", "pk"]
        constraints = [models.UniqueConstraint(fields=["topic", "docno"], name="practice_answer_once")]

    def __str__(self) -> str:
        return f"{self.docno} for topic {self.topic.number}: {self.grade}"


class PracticeGrade(models.Model):
    """What somebody gave while practising, once in a round."""

    answer = models.ForeignKey(PracticeAnswer, on_delete=models.CASCADE, related_name="given")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="practice_grades")
    round = models.PositiveIntegerField()
    grade = models.SmallIntegerField()
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["answer", "user", "round"], name="practice_grade_once")]

    def __str__(self) -> str:
        return f"{self.user}: {self.grade} in round {self.round}"
