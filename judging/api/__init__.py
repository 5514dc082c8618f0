"""The API of judging: assignments and judgments of people, grades of model assessors, released qrels."""
