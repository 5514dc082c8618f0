"""Measures, rankings, averages and tests of significance, as functions of arrays."""
