"""What `manage.py verify` compares of this app."""

from campaign.verification import verify_with
from judging.selectors.verified import verify_judgments, verify_qrels


def declare() -> None:
    verify_with("judgments", verify_judgments)
    verify_with("qrels", verify_qrels)
