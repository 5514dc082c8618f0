"""The API put together: each app's operations, named as text only, as the apps themselves are."""

from campaign.api.openapi import RunpoolAPI

api = RunpoolAPI()
api.add_routers(
    "campaign.api.me.router",
    "campaign.overview.api.campaigns.router",
    "campaign.teams.api.registrations.router",
    "campaign.overview.api.tasks.router",
    "campaign.runs.api.check_script.router",
    "campaign.collection.api.router",
    "campaign.teams.api.teams.router",
    "campaign.runs.api.runs.router",
    "judging.api.judgments.router",
    "judging.api.model_assessors.router",
    "judging.api.qrels.router",
    "evaluation.api.router",
)
