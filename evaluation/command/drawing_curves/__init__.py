"""`python -m evaluation curves`: the curves behind the measures, from files, as a table or a picture."""
