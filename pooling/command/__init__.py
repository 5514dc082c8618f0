"""`python -m pooling`: draws pools from files, byte for byte as the site does, and tells what they would cost and cover."""
