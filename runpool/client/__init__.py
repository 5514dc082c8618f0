"""`python -m runpool.client`: the operations of the API as commands. Standard library alone, also as one file (see make.py)."""
