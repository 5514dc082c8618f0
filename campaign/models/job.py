import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Q

from campaign.database.clock import MadeAtField
from campaign.models import tones
from campaign.models.fields import LimitedTextField
from campaign.models.run import Run
from campaign.models.task import Task
from campaign.models.tones import Toned
from campaign.queues import GENERAL
from campaign.text import limits

LONGEST_KEY = 200


def job_key(arguments: dict[str, Any]) -> str:
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), default=str)
    return text if len(text) <= LONGEST_KEY else hashlib.sha256(text.encode()).hexdigest()


class Job(Toned, models.Model):
    """Work that the database wants done. The queue only notifies workers of it (see campaign/queue/jobs.py)."""

    QUEUED, WORKING, DONE, FAILED = "queued", "working", "done", "failed"
    STATES = {QUEUED: "waiting", WORKING: "working", DONE: "done", FAILED: "failed"}
    FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=60), timedelta(minutes=4)
    TONES = {QUEUED: tones.WAITING, WORKING: tones.WORKING, DONE: tones.GOOD, FAILED: tones.BAD}

    name = models.CharField(max_length=100, help_text="Of the job: @job(name) in some room's jobs.")
    key = models.CharField(max_length=LONGEST_KEY, help_text="The arguments as text; the same work has the same key.")
    arguments = models.JSONField(default=dict)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, null=True, related_name="jobs")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="jobs")
    queue = models.CharField(max_length=20, default=GENERAL, db_default=GENERAL)
    request_id = models.CharField(
        max_length=64, default="-", db_default="-", help_text="Of the web request that asked for it first."
    )
    state = models.CharField(max_length=10, choices=STATES, default=QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = LimitedTextField(limit=limits.JOB_MESSAGE, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    created_at = MadeAtField()
    sent_at = MadeAtField()
    started_at = models.DateTimeField(null=True, help_text="When a worker took it, last of all.")
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["name", "key"], name="job_by_work"),
            models.Index(fields=["state", "-id"], name="job_in_state"),
            # What is watched at each moment must not grow with what is done: this one holds no job that is.
            models.Index(
                fields=["state", "queue", "name", "created_at"],
                condition=Q(state__in=["queued", "working", "failed"]),
                name="job_not_done",
            ),
            models.Index(fields=["queue", "finished_at"], condition=Q(finished_at__isnull=False), name="job_by_end"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["name", "key"], condition=Q(state="queued"), name="job_queued_once"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "working", "done", "failed"]), name="job_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}({self.key})"

    @property
    def subject(self) -> dict[str, Any]:
        """What the lines of the log name: the kind of the job, and the run, task and campaign that it is about."""
        task = self.run.task if self.run else self.task
        facts = {"job": self.name, "queue": self.queue, "run_id": self.run_id}
        return facts | ({"task_id": task.pk, "campaign_id": task.campaign_id} if task else {})

    @property
    def seconds(self) -> float | None:
        """How long a worker worked on it; None before its end."""
        return (self.finished_at - self.started_at).total_seconds() if self.started_at and self.finished_at else None

    @property
    def lost_at(self) -> datetime:
        """When its message counts as lost: after as long again as it had waited when it was last sent, within bounds.

        So a long backlog collects few further messages, and nothing waits for ever if messages are gone. With the time
        until the next sweep this stays below the five minutes after which operators are told that no worker runs.
        """
        since = self.created_at
        if self.state == self.WORKING and self.heartbeat_at is not None:
            since = self.heartbeat_at
            if self.sent_at <= since:  # not sent since its worker fell silent
                return since
        return self.sent_at + min(max(self.sent_at - since, self.FIRST_PAUSE), self.LONGEST_PAUSE)

    @property
    def is_unfinished(self) -> bool:
        return self.state in (self.QUEUED, self.WORKING)
