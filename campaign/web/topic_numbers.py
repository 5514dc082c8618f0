"""Topic numbers in addresses. They may hold slashes: the path converter `topic` writes each number as one step of a path."""

from django.urls.converters import StringConverter


class TopicNumberConverter(StringConverter):
    """`~1` stands for a slash and `~0` for `~`, as in JSON Pointer (RFC 6901)."""

    def to_python(self, value: str) -> str:
        return value.replace("~1", "/").replace("~0", "~")

    def to_url(self, value: str) -> str:
        return super().to_url(value.replace("~", "~0").replace("/", "~1"))
