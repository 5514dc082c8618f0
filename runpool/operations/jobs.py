from campaign.queue.jobs import Progress, job
from campaign.queues import REPORTS
from campaign.text.plurals import number_of
from runpool.operations.cleaning import clean_up
from runpool.operations.health import CLEAN, VERIFY
from runpool.operations.verifications import verification_make

FOUR_HOURS = 4 * 3600


@job(CLEAN)
def clean(progress: Progress) -> None:
    """Its message, the report, stands on the operations page."""
    progress.report(0, 1, "removing what nobody needs")
    progress.report(1, 1, clean_up())


@job(VERIFY, queue=REPORTS, limit_seconds=FOUR_HOURS)
def verify(progress: Progress) -> None:
    """Safe to run twice: what is found is stored at its end only. While a state of the database is read nothing is reported."""
    progress.report(0, 1, "comparing what is stored with what it rests on")
    verification = verification_make()
    progress.report(1, 1, f"{number_of(verification.found, 'finding')}.")
