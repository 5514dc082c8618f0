"""Files in the shapes of campaigns are checked by API as by their readers."""

import pytest

from campaign.models import Import
from tests.api.makers import World
from tests.api.test_organising import send
from tests.campaign.collection.test_published_shapes_come_in import BY_KIND, NEWEST, content_of
from tests.campaign.formats.published_shapes import Shape

STORED = {"1", "2"}
"""Topics of the world, which a file of topics may not change."""


def numbers_of(shape: Shape) -> set[str]:
    return {str(row[0]) for row in shape.read}


@pytest.mark.parametrize("kind", BY_KIND)
def test_a_file_of_each_kind_is_checked_by_api_as_its_reader_does(world: World, kind: str) -> None:
    shapes = [
        shape
        for shape in BY_KIND[kind]
        if any(word in shape.shape for word in NEWEST) and not STORED & numbers_of(shape)
    ]
    assert shapes
    for shape in shapes:
        sent = send(world, "POST", f"imports/{kind}", {}, file=content_of(shape))
        assert sent.status_code == 202, sent.content
        import_ = Import.objects.latest("created_at")
        assert import_.state == (Import.READY if shape.read else Import.BAD), (shape, import_.problems)
