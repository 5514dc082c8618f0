"""Judging as pure code: ways of judging, what a document is graded in the end, samples, and files of qrels."""
