"""The judged documents of a task, as pooling strategies read them."""

import polars as pl

from campaign.models import Task
from judging.models import Judgment
from judging.modes.registry import judging_mode
from judging.selectors.releases import acts_of


def judged_documents(task: Task) -> pl.DataFrame:
    """Return topic, docno and the latest grade of each judged document; grade -2: it could not be judged."""
    acts = acts_of(Judgment.objects.filter(is_current=True, topic__task=task))
    return judging_mode(task.judging_mode).qrels(acts, "latest").overall
