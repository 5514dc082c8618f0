"""Measure against measure: how far the measures of a board order its runs alike."""
