from django.apps import AppConfig
from django.core import checks
from django.core.management import call_command
from django.db.models.signals import post_migrate


def make_cache_table(using: str, **kwargs: object) -> None:
    """After every `migrate`, so that the documented steps suffice; a table that is there is left as it is."""
    call_command("createcachetable", database=using, verbosity=0)


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign.project.checks import check_settings

        checks.register(check_settings)
        post_migrate.connect(make_cache_table, sender=self)
