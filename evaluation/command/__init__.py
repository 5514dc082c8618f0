"""`python -m evaluation`: scores files, and prints as trec_eval, ndeval and gdeval do."""
