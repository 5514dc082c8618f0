"""Runs in, ordered pools out: one module for each strategy, listed in the registry."""
