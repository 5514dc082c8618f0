"""One module for each way of judging, listed in `registry.py`; `grades.py` is what those with a grade scale share."""
