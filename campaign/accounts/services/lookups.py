"""Looking up a person by the name or address that somebody types."""

import time

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from campaign.accounts.selectors import user_named
from campaign.models import User
from campaign.models.lookalikes import plain_address
from campaign.web.cache import count_up

HOUR = 3600
MOST_AN_HOUR = 60
NOT_FOUND = (
    "No account has this user name, and none has confirmed this address. "
    "Check the spelling, or ask the person for their user name."
)


def typed_address(email: str, *, field: str) -> str:
    """The mail address that somebody typed, in the form that is stored; ValidationError of `field` where it is none."""
    email = plain_address(email)
    try:
        validate_email(email)
    except ValidationError as problem:
        raise ValidationError({field: problem.messages}) from problem
    return email


def person_look_up(*, actor: User, text: str) -> User:
    """The person of this user name or confirmed address. What is not found gets one answer, whatever the reason."""
    if count_up(f"lookups-{actor.pk}-{int(time.time() // HOUR)}", HOUR) > MOST_AN_HOUR:
        raise ValidationError(f"You have looked up {MOST_AN_HOUR} people in an hour. Go on in an hour.")
    person = user_named(text)
    if person is None:
        raise ValidationError(NOT_FOUND)
    return person
