"""What this app adds to archives of campaigns, to `manage.py verify`, and to what is asked of a person's account."""

from campaign.persons import forget_with, hand_out_with, hinder_with
from campaign.verification import verify_with
from judging import archive
from judging.persons import judgments_of, open_topics_of, work_released
from judging.selectors.verified import verify_judgments, verify_qrels


def declare() -> None:
    archive.declare()
    verify_with("judgments", verify_judgments)
    verify_with("qrels", verify_qrels)
    hinder_with(open_topics_of)
    forget_with(work_released)
    hand_out_with(judgments_of)
