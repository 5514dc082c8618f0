from django.dispatch import Signal

qrels_released = Signal()
"""Sent inside the transaction that releases qrels. Arguments: sender=Qrels, qrels."""
