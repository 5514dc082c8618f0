"""The pages that analyse a board: one run, two runs, topics, all runs together. Each is a folder with its own addresses."""
