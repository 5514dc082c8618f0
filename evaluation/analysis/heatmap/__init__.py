"""Runs by topics: every value of a measure at once."""
