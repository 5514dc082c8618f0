from typing import Any

from django.core import mail
from django.test import TestCase
from django.urls import reverse

from campaign.models import Agreement, Campaign, Registration, Role, Team, User
from campaign.setup.services.agreements import agreement_create
from tests.factories import make_campaign, make_team, make_user


def make_asking_campaign(**values: Any) -> tuple[Campaign, User]:
    """A campaign whose organiser decides on each team."""
    campaign = make_campaign(registration=Campaign.APPROVED, **values)
    organiser = make_user()
    Role.objects.create(campaign=campaign, user=organiser, role=Role.ORGANISER)
    return campaign, organiser


def make_registration(campaign: Campaign, name: str = "", state: str = Registration.REQUESTED) -> Registration:
    member = make_user()
    team = make_team(name, members=(member,))
    return Registration.objects.create(campaign=campaign, team=team, registered_by=member, state=state)


def make_agreement(campaign: Campaign, actor: User, title: str = "Data usage") -> Agreement:
    return agreement_create(actor=actor, campaign=campaign, title=title, text=f"The words of {title}.")


def owner(team: Team) -> User:
    return User.objects.get(memberships__team=team, memberships__is_owner=True)


def page(name: str, campaign: Campaign, **kwargs: Any) -> str:
    return reverse(name, kwargs={"campaign_slug": campaign.slug, **kwargs})


class Sent:
    """`with Sent() as sent`: what was mailed in between, once the transactions are over and their jobs done."""

    def __enter__(self) -> "Sent":
        self._before = len(mail.outbox)
        self._callbacks = TestCase.captureOnCommitCallbacks(execute=True)
        self._callbacks.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._callbacks.__exit__(*problem)
        self.mails = mail.outbox[self._before :]

    @property
    def addresses(self) -> list[str]:
        return sorted(address for message in self.mails for address in message.to)
