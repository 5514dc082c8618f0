"""What is taken from a board into papers, and what changed from one published board to the next."""
