"""Releases of qrels: from what was judged here, from files, and of earlier rounds."""
