"""The stems of addresses, and what they name."""

from ninja import Schema

CAMPAIGN = "/campaigns/{campaign}"
TASK = f"{CAMPAIGN}/tasks/{{task}}"
RUN = f"{TASK}/runs/{{tag}}"
TEAM = "/teams/{team}"


class CampaignPath(Schema):
    campaign: str


class TaskPath(CampaignPath):
    task: str


class RunPath(TaskPath):
    tag: str


class TeamPath(Schema):
    team: str


class RegistrationPath(CampaignPath, TeamPath):
    pass
