"""Measures of agreement with an ideal ranking."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
