"""One run of a board: all its measures, and its topics among those of all runs."""
