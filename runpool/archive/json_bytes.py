"""JSON of an archive, read from its bytes: json.loads makes one text of it first, which an emoji makes four times as large."""

from typing import Any

from pydantic_core import from_json

from campaign.formats.json_values import require_few_values


def json_of_bytes(content: bytes) -> Any:
    """Return the value. TooManyValuesError before it is built; ValueError for what is no JSON, or one that is too deep.

    >>> json_of_bytes(b'{"a": [1, 0.5, null]}')
    {'a': [1, 0.5, None]}
    """
    require_few_values(content)
    return from_json(content, allow_inf_nan=False, cache_strings="keys")
