"""The assessors' judgments, and the qrels made from them."""
