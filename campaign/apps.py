from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from allauth.account.signals import email_removed
        from django.urls import register_converter

        from campaign.accounts.services.accounts import address_given_up
        from campaign.text.collation import add_sqlite_collation
        from campaign.web.topic_numbers import TopicNumberConverter

        register_converter(TopicNumberConverter, "topic")
        email_removed.connect(address_given_up, dispatch_uid="addresses that people remove")
        connection_created.connect(add_sqlite_collation, dispatch_uid="natural order in SQLite")
