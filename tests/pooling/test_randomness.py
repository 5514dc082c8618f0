import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.randomness import SeededGenerator

names = st.text(st.characters(exclude_categories=["Cs", "Z", "C"]), min_size=1, max_size=5)


def table(pairs: list[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(pairs, schema={"topic": pl.String, "docno": pl.String}, orient="row")


def test_the_number_of_a_document_is_that_of_a_standard_digest_so_that_anybody_can_recompute_it() -> None:
    # printf '7 select 9 a' | b2sum --length=64, and so on for b
    digests = [0xF6F4F2BA301C29DF, 0x940346BE5D42920E]
    expected = [(digest >> 11) / 2**53 for digest in digests]
    assert SeededGenerator(7).uniform(table([("9", "a"), ("9", "b")])).to_list() == expected


def test_the_numbers_of_a_topic_are_these_on_every_platform() -> None:
    # Python promises that random.Random(number).random() keeps its numbers; the number is the digest of “7 select 9”.
    draw = SeededGenerator(7).for_topic("9")
    assert [draw(), draw(), draw()] == [0.025355643999634747, 0.4240692642178382, 0.34585347433807145]


@given(st.lists(st.tuples(names, names), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_a_number_depends_on_topic_and_document_and_not_on_what_else_is_there(
    pairs: list[tuple[str, str]], random: object
) -> None:
    shuffled = random.sample(pairs, len(pairs))
    generator = SeededGenerator(3)
    numbers = dict(zip(pairs, generator.uniform(table(pairs)), strict=True))
    assert numbers == dict(zip(shuffled, generator.uniform(table(shuffled)), strict=True))
    assert generator.uniform(table(pairs[:1])).to_list() == [numbers[pairs[0]]]


def test_numbers_are_spread_evenly_and_another_seed_gives_others() -> None:
    documents = table([("9", f"d{number}") for number in range(10_000)])
    one, other = (SeededGenerator(seed).uniform(documents) for seed in (1, 2))
    assert one.min() >= 0
    assert one.max() < 1
    for share in (0.1, 0.5, 0.9):
        assert abs((one < share).mean() - share) < 4 * (share * (1 - share) / 10_000) ** 0.5
    assert abs(((one < 0.5) & (other < 0.5)).mean() - 0.25) < 0.02


def test_topics_have_numbers_of_their_own() -> None:
    generator = SeededGenerator(7)
    assert generator.for_topic("9")() != generator.for_topic("10")()
    assert generator.for_topic("9")() == generator.for_topic("9")()
