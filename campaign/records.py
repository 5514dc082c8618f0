"""What this app adds to `manage.py verify`, and to what is asked of a person's account."""

from campaign.collection.selectors.verified import verify_document_counts, verify_errata
from campaign.operations.verifications import verify_when_due
from campaign.operations.verifying import verify_checksums, verify_files, verify_log
from campaign.people.selectors import parts_of, roles_left_alone, teams_left_alone
from campaign.people.services.deletion import confirmations_forget
from campaign.people.services.exports import exports_forget
from campaign.persons import hand_out_with, hinder_with
from campaign.sweeps import clean_with, sweep_with
from campaign.verification import verify_with


def declare() -> None:
    verify_with("files", verify_files, in_one_state=False)
    verify_with("files", verify_checksums)
    verify_with("documents", verify_document_counts)
    verify_with("errata", verify_errata)
    verify_with("audit", verify_log)
    hinder_with(roles_left_alone)
    hinder_with(teams_left_alone)
    hand_out_with(parts_of)
    sweep_with(verify_when_due)
    clean_with(confirmations_forget)
    clean_with(exports_forget)
