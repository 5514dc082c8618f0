"""The acts of assessors: their history, which of them count, and lists and files of them."""
