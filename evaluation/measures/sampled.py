"""Estimates from judgments of a sample of the pool."""

from evaluation.measures.declaration import Definition

MEASURES: tuple[Definition, ...] = ()
