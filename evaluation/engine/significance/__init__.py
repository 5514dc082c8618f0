"""PURE: which differences between runs are more than the choice of topics would bring by itself. One module for each test.

A matrix of values is float64 (n_runs, n_topics), NaN where a run has no value for a topic. `pairs` is int64 (n_pairs, 2),
the two rows of each comparison; a difference is the first minus the second. Topics are paired always.
"""
