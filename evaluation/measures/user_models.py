"""Measures made of a model of the person who reads the ranking."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
