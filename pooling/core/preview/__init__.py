"""What can be said of a pool before it is judged, in numbers and in words: pure functions of runs and settings."""
