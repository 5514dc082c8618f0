from campaign.models.agreement import Acceptance, Agreement
from campaign.models.allowance import Allowance
from campaign.models.audit import AuditEvent
from campaign.models.campaign import Campaign, Role
from campaign.models.collection import Collection, Document
from campaign.models.importing import Import
from campaign.models.job import Job
from campaign.models.mail import Mail
from campaign.models.role_invitation import RoleInvitation
from campaign.models.run import Run, RunProblem
from campaign.models.task import Grade, Task
from campaign.models.team import Invitation, Membership, Registration, Team
from campaign.models.token import ApiToken
from campaign.models.topic import Subtopic, Topic
from campaign.models.user import User, Visitor

__all__ = [
    "Acceptance",
    "Agreement",
    "Allowance",
    "ApiToken",
    "AuditEvent",
    "Campaign",
    "Collection",
    "Document",
    "Grade",
    "Import",
    "Invitation",
    "Job",
    "Mail",
    "Membership",
    "Registration",
    "Role",
    "RoleInvitation",
    "Run",
    "RunProblem",
    "Subtopic",
    "Task",
    "Team",
    "Topic",
    "User",
    "Visitor",
]
