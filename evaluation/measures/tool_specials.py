"""Measures that only the standard tool prints."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
