"""Pools that grow while they are judged: `start.py` draws what is judged first, a policy chooses on, `choosing.py` runs it.

A policy is a module here (`maxmean.py`), as a strategy is one folder above.
"""
