from allauth.account.models import EmailAddress
from django.db.models import Q, QuerySet

from campaign.models import Campaign, Role, RoleInvitation, User


def campaign_roles(campaign: Campaign) -> QuerySet[Role]:
    return campaign.roles.select_related("user").order_by("-role", "user__username")


def waiting_invitations(campaign: Campaign) -> QuerySet[RoleInvitation]:
    """Expired ones are among them until they are cleaned away, and those of who organises no more: they can be sent again."""
    invitations = campaign.role_invitations.select_related("campaign", "user", "invited_by")
    return invitations.annotate(inviter_organises=RoleInvitation.objects.inviter_organises())


def own_invitations(user: User) -> QuerySet[RoleInvitation]:
    """Those of the user, and those to addresses that the user has confirmed."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values("email")
    theirs = Q(user=user) | Q(email__in=confirmed)
    return _open().filter(theirs).order_by("pk")


def invitations_with_key(key: str) -> QuerySet[RoleInvitation]:
    return _open().filter(key=key) if key and "\0" not in key else RoleInvitation.objects.none()


def _open() -> QuerySet[RoleInvitation]:
    return RoleInvitation.objects.waiting().select_related("campaign", "user", "invited_by")
