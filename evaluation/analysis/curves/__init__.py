"""Curves of runs: precision against recall, gain against the ideal, the ROC curve."""
