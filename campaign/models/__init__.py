from campaign.models.agreement import Acceptance, Agreement
from campaign.models.archive import Archive, ArchivedName, Restoration
from campaign.models.audit import AuditEvent
from campaign.models.campaign import Campaign, Milestone, Role
from campaign.models.collection import Collection, Document, SearchIndex
from campaign.models.correction import Correction
from campaign.models.importing import Import
from campaign.models.job import Job, job_key
from campaign.models.mail import DigestEntry, Mail, MailChoice
from campaign.models.notice import Notice
from campaign.models.operations import (
    DamagedFile,
    LastSeen,
    RenderedText,
    Seal,
    SiteFigures,
    SlowRequest,
    Verification,
    VerificationFinding,
    WorkerHeartbeat,
)
from campaign.models.organiser_question import OrganiserAnswer, OrganiserQuestion
from campaign.models.role_invitation import RoleInvitation
from campaign.models.row_states import RowState
from campaign.models.run import Run, RunProblem
from campaign.models.task import Grade, JudgedBefore, Task
from campaign.models.team import Allowance, Invitation, Membership, Registration, Team
from campaign.models.topic import Subtopic, Topic
from campaign.models.user import ApiToken, DataExport, FormerName, User, Visitor

__all__ = [
    "Acceptance",
    "Agreement",
    "Allowance",
    "ApiToken",
    "Archive",
    "ArchivedName",
    "AuditEvent",
    "Campaign",
    "Collection",
    "Correction",
    "DamagedFile",
    "DataExport",
    "DigestEntry",
    "Document",
    "FormerName",
    "Grade",
    "Import",
    "Invitation",
    "Job",
    "JudgedBefore",
    "LastSeen",
    "Mail",
    "MailChoice",
    "Membership",
    "Milestone",
    "Notice",
    "OrganiserAnswer",
    "OrganiserQuestion",
    "Registration",
    "RenderedText",
    "Restoration",
    "Role",
    "RoleInvitation",
    "RowState",
    "Run",
    "RunProblem",
    "Seal",
    "SearchIndex",
    "SiteFigures",
    "SlowRequest",
    "Subtopic",
    "Task",
    "Team",
    "Topic",
    "User",
    "Verification",
    "VerificationFinding",
    "Visitor",
    "WorkerHeartbeat",
    "job_key",
]
