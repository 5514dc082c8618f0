"""Pools as pure code: what is chosen, what a pool costs and covers, and what it was worth. Arrays in, arrays out."""
