"""Runs of teams: upload, check, decisions, lists. The rules for their files stand in `campaign/formats/runs/rules.py`."""
