"""Corrections by program: an erratum where others may have seen the text, and 409 where somebody else was faster."""

from typing import Any

import pytest

from campaign.models import Correction, Grade, Topic
from tests.api.makers import World
from tests.api.test_organising import refused, send

WHY = {"reason": "A typo.", "note": "A word was wrong."}


@pytest.mark.parametrize(
    ("address", "first", "second", "field"),
    [
        ("topics/1/texts", {"title": "Bicycle locks"}, {"title": "Locks"}, "title"),
        ("document-texts/a", {"text": "A new text."}, {"text": "Another."}, "text"),
        ("guidelines", {"guidelines": "Read all."}, {"guidelines": "Read."}, "guidelines"),
        (
            "guidelines",
            {"grades": [{"value": 1, "label": "somewhat"}]},
            {"grades": [{"value": 1, "label": "a bit"}]},
            "grades.1.label",
        ),
    ],
)
def test_a_correction_is_an_erratum_and_the_slower_of_two_learns_what_is_stored(
    world: World, address: str, first: dict[str, Any], second: dict[str, Any], field: str
) -> None:
    seen = send(world, "GET", address).json()
    assert seen["is_settled"]
    assert set(refused(send(world, "PATCH", address, first))) == {"reason", "note"}
    corrected = send(world, "PATCH", address, {**first, **WHY, "seen_sha256": seen["sha256"]})
    assert corrected.status_code == 200, corrected.content
    assert [one["number"] for one in corrected.json()["errata"]] == [1]
    assert corrected.json()["sha256"] != seen["sha256"]
    late = send(world, "PATCH", address, {**second, **WHY, "seen_sha256": seen["sha256"]})
    told = refused(late, 409)
    assert (set(told), corrected.json()["sha256"] in told["seen_sha256"]) == ({"seen_sha256", field}, True)
    assert late.json()["type"].endswith("changed-meanwhile")
    assert world.ask("anonymous", "/api/v1/problems/changed-meanwhile").status_code == 302
    assert Correction.objects.count() == 1
    assert send(world, "PATCH", address, {**first, **WHY}).status_code == 422


def test_what_is_not_there_to_correct_is_refused_with_its_field(world: World) -> None:
    assert "9" in refused(send(world, "PATCH", "topics/1/texts", {"subtopics": {"9": "x"}, **WHY}))["subtopics"]
    assert (
        "77" in refused(send(world, "PATCH", "guidelines", {"grades": [{"value": 77, "label": "x"}], **WHY}))["grades"]
    )
    assert send(world, "PATCH", "document-texts/nowhere", {"title": "x", **WHY}).status_code == 404
    assert Grade.objects.filter(label="x").count() == 0


def test_a_topic_leaves_the_scoring_and_comes_back_when_what_follows_is_confirmed(world: World) -> None:
    assert "errata" in send(world, "POST", "topics/1/scoring", {"act": "remove", **WHY}).content.decode()
    assert "remove" in refused(send(world, "POST", "topics/1/scoring", {"act": "delete", "confirm": True}))["act"]
    sure = {"confirm": True, **WHY}
    assert send(world, "POST", "topics/1/scoring", {"act": "remove", **sure}).json() == {"act": "remove"}
    topic = Topic.objects.get(task=world.cast.task, number="1")
    assert (topic.removed_at is None, topic.removal_reason) == (False, WHY["note"])
    assert set(refused(send(world, "POST", "topics/1/scoring", {"act": "put_back", "confirm": True}))) == {
        "reason",
        "note",
    }
    assert send(world, "POST", "topics/1/scoring", {"act": "put_back", **sure}).status_code == 200
    topic.refresh_from_db()
    assert topic.removed_at is None
    kinds = [one["kind"] for one in world.ask("anonymous", f"{world.task}/errata").json()["items"]]
    assert kinds == ["scoring", "scoring"]


def test_a_topic_number_with_slashes_is_one_step_of_an_address(world: World) -> None:
    Topic.objects.filter(number="1").update(number="10.2452/~451-AH")
    assert send(world, "GET", "topics/10.2452~1~0451-AH").json()["number"] == "10.2452/~451-AH"
    assert send(world, "GET", "topics/10.2452~1~0451-AH/texts").status_code == 200
