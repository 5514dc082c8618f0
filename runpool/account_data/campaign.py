"""What the app `campaign` holds of a person, and what of it is in the way of deleting the account."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import cast

from allauth.account.models import EmailAddress

from campaign.log.redaction import FormerNames
from campaign.models import (
    Acceptance,
    ApiToken,
    AuditEvent,
    Campaign,
    Mail,
    MailChoice,
    Membership,
    Notice,
    OrganiserAnswer,
    OrganiserQuestion,
    Role,
    Run,
    Team,
    User,
)
from runpool.account_data.parts import HIDDEN_FROM_ASSESSORS, Hindrance, Part, table_part

LAST_SUPERUSER = (
    "You are the last superuser of the site. Make another one first: manage.py create_user NAME --superuser."
)


def roles_left_alone(user: User) -> Iterator[Hindrance]:
    """Campaigns that would have no organiser."""
    mine = Role.objects.filter(user=user, role=Role.ORGANISER, campaign__deleted_at=None)
    others = Role.objects.filter(role=Role.ORGANISER).exclude(user=user).values("campaign")
    for campaign in Campaign.objects.filter(pk__in=mine.values("campaign")).exclude(pk__in=others).order_by("title"):
        text = f"You are the last organiser of {campaign}. Hand it over first, or delete the campaign."
        yield Hindrance(text, campaign.get_absolute_url())
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        yield Hindrance(LAST_SUPERUSER)


def teams_left_alone(user: User) -> Iterator[Hindrance]:
    """Teams that would have members and no owner, or runs and no member."""
    owned = Team.objects.filter(memberships__in=Membership.objects.filter(user=user, is_owner=True))
    for team in owned.order_by("name"):
        others = Membership.objects.filter(team=team).exclude(user=user)
        if others.filter(is_owner=True).exists():
            continue
        if others.exists():
            text = f"You are the only owner of the team {team}. Make another member an owner first."
            yield Hindrance(text, team.get_absolute_url())
        elif Run.objects.filter(team=team).exists():
            text = f"You are the last member of the team {team}, which has runs: nobody could upload or answer for it."
            yield Hindrance(text, team.get_absolute_url(), is_released=True)


def parts_of(user: User) -> Iterator[Part]:
    """The tables of this app. Secrets are in none: of tokens only their names, of the password nothing."""
    about = ("username", "display_name", "email", "time_zone", "single_keys", "desk_keys")
    moments = ("date_joined", "last_login", "news_seen_until")
    yield table_part("profile", "The account.", User.objects.filter(pk=user.pk), about + moments)
    addresses = EmailAddress.objects.filter(user=user)
    yield table_part(
        "addresses", "Addresses, and whether they were confirmed.", addresses, ("email", "verified", "primary")
    )
    yield table_part("mail_choices", "Which mails you want.", MailChoice.objects.filter(user=user), ("kind", "choice"))
    tokens = ("name", "scope", "start", "created_at", "expires_at", "last_used_at", "revoked_at")
    yield table_part("tokens", "Tokens for the API, by name only.", ApiToken.objects.filter(user=user), tokens)
    roles = Role.objects.filter(user=user)
    yield table_part("roles", "Roles in campaigns.", roles, ("campaign__slug", "campaign__title", "role", "languages"))
    teams = ("team__slug", "team__name", "team__affiliation", "is_owner", "joined_at")
    yield table_part("teams", "Teams that you are a member of.", Membership.objects.filter(user=user), teams)
    yield table_part(
        "agreements",
        "What you agreed to for a team.",
        Acceptance.objects.filter(accepted_by=user),
        ("agreement__campaign__slug", "agreement__title", "team__slug", "accepted_at"),
    )
    runs = ("task__campaign__slug", "task__slug", "team__slug", "tag", "attempt", "state", "kind", "priority")
    more = ("description", "answers", "metadata", "file_name", "size", "sha256", "submitted_at")
    links = ("paper_url", "code_url")
    sent = Run.objects.filter(submitted_by=user)
    yield table_part("runs", "Runs that you sent; sha256 is the receipt.", sent, runs + more + links)
    mails = ("kind", "address", "subject", "body", "created_at", "sent_at")
    yield table_part("mails", "Mails to you.", Mail.objects.filter(recipient=user), mails)
    notices = ("campaign__slug", "task__slug", "kind", "title", "body", "written_at")
    yield table_part("notices", "Notices that you wrote.", Notice.objects.filter(written_by=user), notices)
    yield from _questions_of(user)
    yield _log_of(user)


def _questions_of(user: User) -> Iterator[Part]:
    """Those that they asked, and answers to them and by them."""
    asked = ("task__campaign__slug", "task__slug", "text", "shows_name", "asked_at")
    questions = OrganiserQuestion.objects.filter(asked_by=user)
    yield table_part("questions", "Questions that you asked organisers.", questions, asked)
    of_question = ("question__task__campaign__slug", "question__task__slug")
    answer = ("text", "is_public", "written_at")
    got = OrganiserAnswer.objects.filter(question__asked_by=user)
    yield table_part("answers_to_you", "Answers to these questions.", got, (*of_question, "question__text", *answer))
    given = OrganiserAnswer.objects.filter(written_by=user)
    yield table_part("answers", "Answers that you gave as an organiser.", given, of_question + answer)


def _log_of(user: User) -> Part:
    log = table_part(
        "log",
        "What the log says that you did. Passes and shares of topics stand in the log of the campaign, for organisers.",
        AuditEvent.objects.filter(actor=user),
        ("happened_at", "campaign__slug", "verb", "object_type", "object_id", "data"),
        without=HIDDEN_FROM_ASSESSORS,
    )

    def rows() -> Iterator[Mapping[str, object]]:
        former = FormerNames()
        for row in log.rows():
            yield {**row, "data": former.left_out_of(row["data"], cast(datetime, row["happened_at"]))}

    return replace(log, rows=rows)
