"""Variance components of a board, and what they mean for the number of topics, as a page, CSV and JSON."""
