"""All pairs of runs by the board's own tests: which differ, and which groups do not."""
