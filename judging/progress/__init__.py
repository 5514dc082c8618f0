"""How much is judged, and the history of it, for organisers."""
