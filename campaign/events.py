"""What travels on by itself. Received in evaluation/apps.py alone; there are no other signals of ours."""

from django.dispatch import Signal

run_accepted = Signal()
"""Sent inside the transaction that accepts a run. Arguments: sender=Run, run."""
