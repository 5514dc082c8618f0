"""Measures of the recall-precision curve."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
