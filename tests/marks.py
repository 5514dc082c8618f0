"""What the marks of a picture tell, as the scripts read them."""

import json
import re
from typing import Any


def marks_of(picture: bytes) -> list[dict[str, Any]]:
    found = re.findall(rb"<metadata>([^<>&]*)</metadata>", picture)
    assert len(found) == 1
    groups: list[dict[str, Any]] = json.loads(found[0])
    for group in groups:
        numbers = {len(texts) for _, texts in group["terms"]}
        assert len(numbers) == 1
        if group["kind"] != "cells":
            assert numbers == {max(len(group["x"]), len(group["y"]))}
        assert len(group["links"]) in {0, *numbers}
    return groups
