"""What is made within a day has a limit, where nothing else bounds how much a site keeps of it."""

import time
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import User
from campaign.web.cache import count_up

DAY = timedelta(days=1)


def require_few_rows(rows: "QuerySet[Any]", made_at: str, most: int, refusal: str) -> None:
    """ValidationError with the sentence `refusal` where `most` of the rows were made within a day; `made_at` names the column."""
    if rows.filter(**{f"{made_at}__gt": timezone.now() - DAY}).count() >= most:
        raise ValidationError(f"{most} {refusal}")


def require_few_of_person(actor: User, what: str, most: int) -> None:
    """Count one more; ValidationError beyond `most`. Call it where the transaction that makes it would end well otherwise."""
    seconds = int(DAY.total_seconds())
    if count_up(f"{what}-a-day-{actor.pk}-{int(time.time() // seconds)}", seconds) > most:
        raise ValidationError(f"You have made {most} {what} within a day. Go on tomorrow.")
