"""`python -m evaluation trust`: how far the order of runs can be trusted, from files."""
