"""The signal of this app, received in evaluation/apps.py only."""

from django.dispatch import Signal

run_accepted = Signal()
"""Sent inside the transaction that accepts a run. Arguments: sender=Run, run."""
