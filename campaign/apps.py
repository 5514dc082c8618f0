from django.apps import AppConfig
from django.core import checks
from django.db.backends.signals import connection_created


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign.collection.selectors.waiting import imports_to_confirm
        from campaign.project.checks import check_deployment, check_settings
        from campaign.runs.selectors.waiting import runs_to_check_again, runs_to_mend
        from campaign.sorting import teach_sqlite
        from campaign.waiting import tell

        connection_created.connect(teach_sqlite, dispatch_uid="natural order in SQLite")
        checks.register(check_settings)
        checks.register(check_deployment, checks.Tags.security, deploy=True)
        tell("organiser", imports_to_confirm)
        tell("organiser", runs_to_check_again)
        tell("participant", runs_to_mend)
