"""Measures of what is retrieved as a set, whatever its order."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
