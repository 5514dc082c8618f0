from hypothesis import example, given
from hypothesis import strategies as st

from campaign.web.topic_numbers import TopicNumberConverter

convert = TopicNumberConverter()


@example("10.2452/451-AH")
@example("~1/~0")
@given(st.text("ab/~01.%#?", min_size=1, max_size=12))
def test_every_topic_number_is_one_step_of_an_address_and_comes_back_from_it(number):
    step = convert.to_url(number)
    assert "/" not in step
    assert convert.to_python(step) == number


def test_a_number_without_slash_and_tilde_stands_as_it_is():
    assert convert.to_url("MB001") == "MB001"
