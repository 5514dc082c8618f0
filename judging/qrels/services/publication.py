"""Qrels that are shown to everybody who sees the task, without a leaderboard: what a development round begins with."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import User
from campaign.news.services.automatic import tell_of_results
from campaign.permissions import locked_organised_task_or_404
from campaign.setup.services.closing import close_for_qrels
from judging.models import Qrels


@transaction.atomic
def qrels_show(*, actor: User, qrels: Qrels) -> None:
    """Show a version to everybody who sees the task. That cannot be undone; it closes the uploads, but in a development round."""
    locked_organised_task_or_404(actor, qrels.task)
    if not Qrels.objects.filter(pk=qrels.pk, published_at__isnull=True).update(published_at=timezone.now()):
        raise ValidationError(f"Everybody who sees the task sees {qrels} already.")
    audit(actor, "show", qrels, campaign=qrels.task.campaign, version=qrels.version)
    close_for_qrels(actor=actor, task=qrels.task)
    title, body = f"{qrels.task}: {qrels} can be seen", f"Everybody who sees the task can read and download {qrels}."
    tell_of_results(actor=actor, task=qrels.task, title=title, body=body, page=qrels.get_absolute_url())
