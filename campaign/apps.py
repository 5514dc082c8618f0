from django.apps import AppConfig
from django.core import checks
from django.db.backends.signals import connection_created


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign import records
        from campaign.archive import campaign_tables
        from campaign.collection.selectors.rooms import documents_room, topics_room
        from campaign.collection.selectors.waiting import imports_to_confirm
        from campaign.contradictions import find_contradictions_with
        from campaign.project.checks import check_deployment, check_settings
        from campaign.rooms import show_room
        from campaign.runs.selectors.rooms import runs_room
        from campaign.runs.selectors.waiting import runs_to_check_again, runs_to_mend
        from campaign.setup.selectors.contradictions import phase_against_dates
        from campaign.setup.services.deletions import remove_for_good
        from campaign.setup.services.people import expired_invitations_remove
        from campaign.sorting import teach_sqlite
        from campaign.sweeps import clean_with
        from campaign.waiting import tell

        connection_created.connect(teach_sqlite, dispatch_uid="natural order in SQLite")
        checks.register(check_settings)
        checks.register(check_deployment, checks.Tags.security, deploy=True)
        campaign_tables.declare()
        records.declare()
        tell("organiser", imports_to_confirm)
        tell("organiser", runs_to_check_again)
        tell("participant", runs_to_mend)
        show_room(topics_room)
        show_room(documents_room)
        show_room(runs_room)
        find_contradictions_with(phase_against_dates)
        clean_with(remove_for_good)
        clean_with(expired_invitations_remove)
