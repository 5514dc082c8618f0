from campaign.operations.cleaning import clean_up
from campaign.operations.selectors import CLEAN
from campaign.tasking import Progress, job


@job(CLEAN)
def clean(progress: Progress) -> None:
    """Its message, the report, stands on the operations page."""
    progress.report(0, 1, "removing what nobody needs")
    progress.report(1, 1, clean_up())
