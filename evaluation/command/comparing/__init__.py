"""`python -m evaluation compare`: which differences between runs are real, from files."""
