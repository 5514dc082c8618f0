from django.apps import AppConfig
from django.core import checks


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign.project.checks import check_deployment, check_settings

        checks.register(check_settings)
        checks.register(check_deployment, checks.Tags.security, deploy=True)
