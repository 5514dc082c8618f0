from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign.text.collation import teach_sqlite

        connection_created.connect(teach_sqlite, dispatch_uid="natural order in SQLite")
