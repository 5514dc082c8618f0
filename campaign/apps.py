from django.apps import AppConfig
from django.core import checks
from django.db.backends.signals import connection_created


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = "Campaign"

    def ready(self) -> None:
        from campaign.archive import campaign_tables
        from campaign.collection.selectors.rooms import documents_room, topics_room
        from campaign.collection.selectors.verified import verify_errata
        from campaign.collection.selectors.waiting import imports_to_confirm
        from campaign.contradictions import find_contradictions_with
        from campaign.operations.verifications import verify_when_due
        from campaign.operations.verifying import verify_checksums, verify_files, verify_log
        from campaign.people.selectors import parts_of, roles_left_alone, teams_left_alone
        from campaign.people.services.deletion import confirmations_forget
        from campaign.people.services.exports import exports_forget
        from campaign.persons import hand_out_with, hinder_with
        from campaign.project.checks import check_deployment, check_settings
        from campaign.rooms import show_room
        from campaign.runs.selectors.rooms import runs_room
        from campaign.runs.selectors.waiting import runs_to_check_again, runs_to_mend
        from campaign.setup.selectors.contradictions import phase_against_dates
        from campaign.setup.services.deletions import remove_for_good
        from campaign.setup.services.people import expired_invitations_remove
        from campaign.sorting import teach_sqlite
        from campaign.sweeps import clean_with, sweep_with
        from campaign.verification import verify_with
        from campaign.waiting import tell

        connection_created.connect(teach_sqlite, dispatch_uid="natural order in SQLite")
        checks.register(check_settings)
        checks.register(check_deployment, checks.Tags.security, deploy=True)
        campaign_tables.declare()
        tell("organiser", imports_to_confirm)
        tell("organiser", runs_to_check_again)
        tell("participant", runs_to_mend)
        show_room(topics_room)
        show_room(documents_room)
        show_room(runs_room)
        find_contradictions_with(phase_against_dates)
        verify_with("files", verify_files, in_one_state=False)
        verify_with("files", verify_checksums)
        verify_with("errata", verify_errata)
        verify_with("audit", verify_log)
        hinder_with(roles_left_alone)
        hinder_with(teams_left_alone)
        hand_out_with(parts_of)
        clean_with(confirmations_forget)
        clean_with(exports_forget)
        sweep_with(verify_when_due)
        clean_with(remove_for_good)
        clean_with(expired_invitations_remove)
