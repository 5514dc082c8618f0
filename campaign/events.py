"""The signals of this app, received in evaluation/apps.py only."""

from django.dispatch import Signal

run_accepted = Signal()
"""Sent inside the transaction that accepts a run. Arguments: sender=Run, run."""

run_left = Signal()
"""Sent inside the transaction that takes a run out of what counts. Arguments: sender=Run, run."""

what_counts_changed = Signal()
"""Sent inside the transaction that changes which topics or runs count, or who sees scores. Arguments: sender=Task, task."""
