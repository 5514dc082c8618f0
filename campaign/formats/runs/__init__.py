"""Runs: rules (`rules.py`), and two readers that find what breaks them, by line and by column."""
