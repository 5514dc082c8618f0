"""The API put together: each app's operations, named as text only, as the apps themselves are."""

from campaign.api.document import RunpoolAPI

api = RunpoolAPI()
api.add_routers(
    "campaign.api.account.router",
    "campaign.api.campaigns.router",
    "campaign.api.tasks.router",
    "campaign.api.teams.router",
    "campaign.api.runs.router",
    "judging.api.router",
    "evaluation.api.router",
)
