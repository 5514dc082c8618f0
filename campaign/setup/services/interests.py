from django.db.models import QuerySet

from campaign.log.audit import audit
from campaign.models import AuditEvent, Role
from campaign.setup.selectors.interests import conflicts_of

CONFLICT = "conflict of interest"


def conflicts_record(roles: "QuerySet[Role]") -> None:
    """Note in the log, once each, that an assessor is a member of a team with runs in the campaign.

    Called by what can make it so: a role accepted, a team joined, a run submitted.
    """
    for conflict in conflicts_of(roles.filter(role=Role.ASSESSOR)):
        about = {"user": conflict.user.username, "team": conflict.team}
        campaign = conflict.role.campaign
        noted = AuditEvent.objects.filter(campaign=campaign, verb=CONFLICT, data__user=about["user"])
        if not noted.filter(data__team=conflict.team).exists():
            audit(None, CONFLICT, conflict.role, campaign=campaign, **about)
