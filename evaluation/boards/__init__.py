"""Leaderboards as values: arrays of runs and measures (`board.py`), tables for pages (`table.py`), stored snapshots, pictures."""
