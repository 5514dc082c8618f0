from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from campaign.models import Campaign, Membership, Registration, Run, Team, User
from campaign.models.team import new_invitation_key
from campaign.services.audit import audit


@transaction.atomic
def team_create(*, actor: User, name: str, affiliation: str = "") -> Team:
    """Found a team; its founder owns it."""
    team = Team(name=name.strip(), slug=_free_slug(name), affiliation=affiliation.strip())
    team.full_clean()
    try:
        with transaction.atomic():
            team.save()
    except IntegrityError as problem:  # somebody took the name a moment ago
        raise ValidationError({"name": "There is a team of this name already."}) from problem
    Membership.objects.create(team=team, user=actor, is_owner=True)
    audit(actor, "found", team, campaign=None, name=team.name)
    return team


@transaction.atomic
def team_join(*, actor: User, key: str) -> Team:
    """Join by the key of the invitation link; joining twice changes nothing."""
    team = Team.objects.filter(invitation_key=key).first()
    if team is None:
        raise ValidationError("This invitation link is not valid any more. Ask the team's owner for the current one.")
    _, is_new = Membership.objects.get_or_create(team=team, user=actor)
    if is_new:
        audit(actor, "join", team, campaign=None)
    return team


@transaction.atomic
def team_leave(*, actor: User, team: Team) -> None:
    """Leave a team. The last owner cannot leave while others stay or runs stand in the team's name."""
    Team.objects.select_for_update().get(pk=team.pk)  # two owners who leave at once must not both find the other
    membership = Membership.objects.filter(team=team, user=actor).first()
    if membership is None:
        raise ValidationError("You are no member of this team.")
    others = Membership.objects.filter(team=team).exclude(pk=membership.pk)
    if membership.is_owner and not others.filter(is_owner=True).exists():
        if others.exists():
            raise ValidationError("You are the only owner: make another member an owner first.")
        if Run.objects.filter(team=team).exists():
            raise ValidationError(
                "You are the last member, and the team has runs: somebody must stay to answer for them."
            )
    membership.delete()
    audit(actor, "leave", team, campaign=None)


@transaction.atomic
def team_renew_invitation(*, actor: User, team: Team) -> Team:
    """Make the current invitation link useless and give the team another."""
    team.invitation_key = new_invitation_key()
    team.save(update_fields=["invitation_key"])
    audit(actor, "renew invitation", team, campaign=None)
    return team


@transaction.atomic
def team_make_owner(*, actor: User, team: Team, user: User) -> None:
    if not Membership.objects.filter(team=team, user=user).update(is_owner=True):
        raise ValidationError(f"{user} is no member of this team.")
    audit(actor, "make owner", team, campaign=None, user=user.username)


@transaction.atomic
def team_register(*, actor: User, team: Team, campaign: Campaign) -> Registration:
    """Have the team take part in the campaign; registering twice changes nothing."""
    if campaign.opened_at is None:
        raise ValidationError("This campaign is not open yet.")
    if not Membership.objects.filter(team=team, user=actor).exists():
        raise ValidationError("Only a member can register a team.")
    registration, is_new = Registration.objects.get_or_create(
        campaign=campaign, team=team, defaults={"registered_by": actor}
    )
    if is_new:
        audit(actor, "register", team, campaign=campaign)
    return registration


def _free_slug(name: str) -> str:
    stem = slugify(name).replace("_", "-")[:40].strip("-") or "team"
    if stem in {"new", "join", "import", "edit"}:
        stem = f"team-{stem}"
    taken = set(Team.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return stem if stem not in taken else next(slug for slug in numbered if slug not in taken)
