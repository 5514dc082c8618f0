"""`python -m evaluation reliability`: how far the order of runs can be trusted, from files."""
