from django.db.models import QuerySet

from campaign.models import Campaign, Role, RoleInvitation, User


def campaign_roles(campaign: Campaign) -> QuerySet[Role]:
    return campaign.roles.select_related("user").order_by("-role", "user__username")


def waiting_invitations(campaign: Campaign) -> QuerySet[RoleInvitation]:
    return campaign.role_invitations.select_related("user", "invited_by")


def own_invitations(user: User) -> QuerySet[RoleInvitation]:
    return RoleInvitation.objects.filter(user=user).select_related("campaign", "user", "invited_by").order_by("pk")
