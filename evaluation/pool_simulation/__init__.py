"""PURE: what pools of each strategy would have found, and which order of the runs they would have given, where all is known.

It draws pools and scores runs, so it stands in the last app; `python -m pooling simulate` runs it.
"""
