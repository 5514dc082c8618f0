"""Model assessors: who they are, their tokens, and their grades."""
