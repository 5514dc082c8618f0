"""Leaderboards as values: rows and columns (`rows.py`), sorting for a page (`table.py`), stored snapshots, pictures."""
