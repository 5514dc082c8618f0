"""PURE: search of texts by their words: an index that is made document by document, and BM25."""
