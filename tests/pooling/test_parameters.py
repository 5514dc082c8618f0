from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.core.strategies.declaration import Selection, Strategy
from pooling.core.strategies.parameters import Choice, Number, Pairs, Parameter, PoolSpecError, Whole, YesNo

SIZE = Whole(name="size", label="Size", low=1, high=1000, default=10, symbol="n")
RATE = Number(name="rate", label="Rate", low=0.001, high=1, default=0.5)
SOURCE = Choice(name="source", label="Source", choices={"runs": "by runs", "teams": "by teams"}, default="runs")
WHOLE_TOPIC = YesNo(name="whole_topic", label="Whole topic", default=False)
RATES = Pairs(name="rates", label="Rates", first=SIZE, second=RATE, default=((10, 1.0), (100, 0.1)))

values = st.one_of(
    st.tuples(st.just(SIZE), st.integers(1, 1000)),
    st.tuples(st.just(RATE), st.floats(0.001, 1)),
    st.tuples(st.just(SOURCE), st.sampled_from(list(SOURCE.choices))),
    st.tuples(st.just(WHOLE_TOPIC), st.booleans()),
    st.tuples(
        st.just(RATES),
        st.dictionaries(st.integers(1, 1000), st.floats(0.001, 1), min_size=1).map(lambda held: tuple(held.items())),
    ),
)


@given(values)
def test_a_value_comes_back_from_its_text_and_from_its_json_as_it_was(pair: tuple[Parameter, Any]) -> None:
    parameter, value = pair
    normal = parameter.check(value)
    assert parameter.check(normal) == normal
    assert parameter.from_text(parameter.to_text(normal)) == normal
    assert parameter.check(parameter.to_json(normal)) == normal


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (SIZE, " 20 ", 20),
        (RATE, "1", 1.0),
        (RATE, "1e-2", 0.01),
        (SOURCE, "teams", "teams"),
        (WHOLE_TOPIC, "yes", True),
        (RATES, "100:.5  10:1", ((10, 1.0), (100, 0.5))),
        (RATES, "10:1,100:.5", ((10, 1.0), (100, 0.5))),
    ],
)
def test_texts_are_read_as_people_write_them(parameter: Parameter, text: str, value: Any) -> None:
    assert parameter.from_text(text) == value
    assert type(parameter.from_text(text)) is type(value)


@pytest.mark.parametrize(
    ("parameter", "wrong", "message"),
    [
        (SIZE, "ten", "size is a whole number from 1 to 1,000, not “ten”"),
        (SIZE, "1_0", "not “1_0”"),
        (SIZE, "1.5", "a whole number"),
        (SIZE, "9" * 5000, "not “" + "9" * 40 + "”"),
        (SIZE, "", "a whole number"),
        (RATE, "nan", "rate is a number from 0.001 to 1"),
        (RATE, "inf", "a number"),
        (RATE, "0", "a number"),
        (SOURCE, "people", "source is one of runs, teams"),
        (WHOLE_TOPIC, "true", "whole_topic is yes or no"),
        (RATES, "10", "rates is a list of pairs such as “10:1 100:0.1”"),
        (RATES, "10:1 10:0.5", "a list of pairs"),
        (RATES, "10:1:1", "a list of pairs"),
        (RATES, "0:1", "a list of pairs"),
        (RATES, "10:2", "a list of pairs .* not “10:2”"),
        (RATES, "", "a list of pairs"),
    ],
)
def test_a_text_that_is_no_value_is_refused_in_words(parameter: Parameter, wrong: str, message: str) -> None:
    with pytest.raises(PoolSpecError, match=message):
        parameter.from_text(wrong)


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        (SIZE, 10.0),
        (SIZE, None),
        (RATE, "0.5"),
        (RATE, True),
        (SOURCE, 1),
        (WHOLE_TOPIC, 1),
        (RATES, {10: 1}),
        (RATES, [10, 1]),
        (RATES, [[10, 1, 2]]),
        (RATES, [[10.0, 1]]),
        (RATES, []),
    ],
)
def test_a_value_of_another_type_is_refused(parameter: Parameter, wrong: Any) -> None:
    with pytest.raises(PoolSpecError, match=f"The setting {parameter.name} is"):
        parameter.check(wrong)


def test_only_an_optional_list_of_pairs_may_be_empty() -> None:
    optional = Pairs(
        name="rates", label="Rates", first=SIZE, second=RATE, default=(), example=((10, 1.0),), optional=True
    )
    assert optional.from_text(" ") == optional.check([]) == ()
    assert optional.to_text(()) == ""
    with pytest.raises(PoolSpecError, match="a list of pairs such as “10:1”"):
        optional.from_text("10")


def test_a_declaration_whose_default_is_no_value_is_refused() -> None:
    with pytest.raises(PoolSpecError, match="size is a whole number"):
        Whole(name="size", label="Size", low=1, high=5, default=10)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((Whole(name="seed", label="Seed", low=0, high=9, default=0),), "seed something else"),
        ((SIZE, SIZE), "size something else"),
        (
            (
                Whole(name="size", label="Size", low=1, high=9, default=1, compared=(1, 2)),
                Whole(name="depth", label="Depth", low=1, high=9, default=1, compared=(1, 2)),
            ),
            "only one parameter",
        ),
    ],
)
def test_a_strategy_that_cannot_be_shown_is_refused(parameters: tuple[Parameter, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Strategy(
            name="toy",
            label="toy",
            parameters=parameters,
            select=lambda candidates, *_: Selection(candidates.appearances),
            reads=lambda parameters: None,
            covers=lambda parameters: (),
        )
