"""Of a key that stands twice in one object, JSON readers keep one value without a word: such a body is refused."""

import pytest
from django.http import HttpResponse
from django.test import Client

from campaign.models import Task, Team
from tests.api.makers import API, World


@pytest.mark.parametrize(
    ("body", "places"),
    [
        (b'{"name": "A", "slug": "a", "name": "B"}', ["name"]),
        (b'{"name": "A", "n\\u0061me": "B"}', ["name"]),
        (b'{"a": [0, {"b": {"c": 1, "c": 1}}], "a\\u202e": {"d": 1, "d": 2}}', ["a\\u202e.d", "a.1.b.c"]),
        (b'{"a": {"b": 1, "b": 2}, "a": 3}', ["a"]),
        ('{"name": "A", "name": "B"}'.encode("utf-16"), ["name"]),
    ],
    ids=["outermost", "written as an escape", "deep", "in a value that is replaced", "in UTF-16"],
)
def test_a_key_that_stands_twice_is_refused_with_its_place(world: World, body: bytes, places: list[str]) -> None:
    teams = Team.objects.count()
    answer = _posted(world, body)
    assert (answer.status_code, Team.objects.count()) == (400, teams)
    assert [error["field"] for error in answer.json()["errors"]] == places
    assert answer.json()["detail"].endswith(": a key stands more than once in one object. Keep one of them.")


def test_of_many_keys_that_stand_twice_the_first_hundred_are_named(world: World) -> None:
    body = b"{%s}" % b", ".join(b'"x%d": 0, "x%d": 1' % (n, n) for n in range(40_000))
    answer = _posted(world, body)
    assert (answer.status_code, len(answer.content) < 50_000) == (400, True)
    assert len(answer.json()["errors"]) == 100
    assert "x99 and 39,900 more: a key stands more than once" in answer.json()["detail"]


def test_the_same_key_in_two_objects_is_no_repeat(world: World) -> None:
    answer = _posted(world, b'{"name": {"name": {"name": 1}}}')
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "name")


def test_answers_to_questions_about_a_run_say_which_key_stands_twice(world: World) -> None:
    Task.objects.update(questions=[{"key": "dense", "label": "Dense?", "kind": "yes/no", "required": True}])
    [error] = world.submit(answers='{"dense": true, "dense": false}').json()["errors"]
    assert error == {
        "field": "answers",
        "message": "dense: a key stands more than once in one object. Keep one of them.",
    }


def _posted(world: World, body: bytes) -> HttpResponse:
    headers = {"authorization": f"Bearer {world.tokens['stranger']}"}
    return Client().post(f"{API}/teams", body, content_type="application/json", headers=headers)
