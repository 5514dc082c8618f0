"""One module for each family of measures; `declaration.py` says how a measure declares itself, `names/` finds it by name."""
