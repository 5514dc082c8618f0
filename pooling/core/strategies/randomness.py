"""Random numbers that depend on a recorded seed and on names, never on the order in which something is read.

They are made of BLAKE2b digests and of the one method of Python's generator whose numbers are promised to stay as they
are, so that they are the same on every platform and with every version of numpy. Adding a run or a topic leaves the
numbers of all other documents as they were.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import blake2b

import numpy as np
import polars as pl

BITS_OF_A_DOUBLE = 53


def document_keys(documents: pl.DataFrame, name: str) -> pl.Series:
    """UInt64 per row: the first 8 bytes, big-endian, of BLAKE2b-64 over the UTF-8 text `name topic docno` (one space each).

    Hashed one by one on purpose: a standard digest lets anybody recompute a key, in any language.
    """
    text = pl.format("{} {} {}", pl.lit(name), pl.col("topic").cast(pl.String), "docno").cast(pl.Binary)
    digests = [blake2b(held, digest_size=8).digest() for held in documents.select(text=text)["text"].to_list()]
    return pl.Series("key", np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64), dtype=pl.UInt64)


class SeededGenerator:
    """What a strategy draws at random with: the same seed gives the same numbers.

    They are independent of the random judging order, which hashes the seed under another name.
    """

    def __init__(self, seed: int) -> None:
        self._seed, self._name = seed, f"{seed} select"

    def uniform(self, documents: pl.DataFrame) -> pl.Series:
        """Float64 in [0, 1) per row, which depends on seed, topic and docno alone: for samples of documents.

        u = floor(key / 2^11) / 2^53, key = `document_keys`. Those with u < p are a sample with probability p each; the n
        smallest are one of n without replacement. Takes a table with topic and docno; asked twice it gives the same.

        >>> documents = pl.DataFrame({"topic": ["9"], "docno": ["a"]})
        >>> SeededGenerator(7).uniform(documents).to_list() == SeededGenerator(7).uniform(documents).to_list()
        True
        """
        leading_bits = document_keys(documents, self._name) // 2 ** (64 - BITS_OF_A_DOUBLE)
        numbers = leading_bits.cast(pl.Float64).to_numpy() * 2.0**-BITS_OF_A_DOUBLE
        return pl.Series("uniform", numbers, dtype=pl.Float64)

    def for_topic(self, topic: str) -> Callable[[], float]:
        """A function that gives the topic's next number in [0, 1) at each call: for choices made one after another."""
        return random.Random(_key(f"{self._name} {topic}")).random

    def at_step(self, topic: str, step: int) -> float:
        """The number in [0, 1) of one step of a topic, whatever was drawn before: for choices that are replayed.

        u = floor(key / 2^11) / 2^53, key = BLAKE2b-64 of the text `seed step topic number` (one space each).

        >>> SeededGenerator(7).at_step("9", 1) == SeededGenerator(7).at_step("9", 1)
        True
        """
        key = _key(f"{self._seed} step {topic} {step}")
        return (key >> (64 - BITS_OF_A_DOUBLE)) * 2.0**-BITS_OF_A_DOUBLE


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
