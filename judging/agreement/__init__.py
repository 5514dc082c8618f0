"""How far assessors agree, with each other and with themselves: figures, what they mean in words, page and files."""
