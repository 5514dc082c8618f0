"""What the document says of an operation that answers with a file."""

from typing import Any


def answers_with(content_type: str, *, binary: bool = False) -> dict[str, Any]:
    """As `openapi_extra` of the operation.

    >>> answers_with("application/zip", binary=True)["responses"][200]["content"]
    {'application/zip': {'schema': {'type': 'string', 'format': 'binary'}}}
    """
    schema = {"type": "string", **({"format": "binary"} if binary else {})}
    return {"responses": {200: {"description": "OK", "content": {content_type: {"schema": schema}}}}}


TEXT = answers_with("text/plain; charset=utf-8")
ZIP = answers_with("application/zip", binary=True)
