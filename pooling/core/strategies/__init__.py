"""Runs in, ordered pools out: a module for each strategy (`depth_k.py`), listed in `registry.py`; the others are shared."""
