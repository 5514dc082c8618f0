"""The queue of jobs as operators see it, and /health/. A job itself stands in the `jobs.py` of its room."""
