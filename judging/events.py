from django.dispatch import Signal

qrels_released = Signal()
"""Sent inside the transaction that releases qrels. Arguments: sender=Qrels, qrels."""

preferences_released = Signal()
"""Sent inside the transaction that releases an order of preferences. Arguments: sender=PreferenceOrder, order."""
