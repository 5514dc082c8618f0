import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.arrays import accumulate_within_groups, by_number


@given(st.lists(st.lists(st.floats(-2, 2), max_size=6), max_size=8), st.sampled_from([np.add, np.multiply]))
def test_accumulating_within_groups_is_accumulating_each_group_by_itself(groups, operation):
    """Few long groups and many short ones go different ways: both are drawn, with empty groups between."""
    group = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    values = np.array([value for values in groups for value in values], dtype=float)
    expected = [value for values in groups if values for value in operation.accumulate(values)]
    accumulated = accumulate_within_groups(operation, group, values, len(groups))
    assert accumulated.tolist() == expected
    assert values.tolist() == [value for values in groups for value in values]


@pytest.mark.parametrize("numbers", [[], [1], [3, 1, 2, 3, 3], [1000, 1], [7]])
def test_a_function_of_whole_numbers_has_its_values_whether_it_is_looked_up_or_not(numbers):
    values = by_number(lambda number: 1.0 / number, np.array(numbers, dtype=np.int64))
    assert values.tolist() == [1 / number for number in numbers]
