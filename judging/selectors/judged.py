"""What is judged of a task, as pooling strategies read it."""

import polars as pl

from campaign.models import Task
from judging.models import Judgment
from judging.resolution import resolve
from judging.selectors.releases import ACTS


def judged_documents(task: Task) -> pl.DataFrame:
    """topic, docno, grade (-2: could not be judged) of every judgment that stands, by the latest grade of each document."""
    standing = Judgment.objects.filter(is_current=True, topic__task=task).exclude(verdict=Judgment.WITHDRAWN)
    acts = standing.order_by("pk").values_list("topic__number", "docno", "grade", "judged_at", "pk")
    return resolve(pl.DataFrame(list(acts), schema=ACTS, orient="row"), "latest")
