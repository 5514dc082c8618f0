"""Bodies that are small and would become large: what is said of each wrong value is many times as long as the value."""

import json

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.api.makers import API, World, ask

LONGEST_ANSWER = 50_000


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_body_of_more_values_than_anybody_needs_is_refused_before_it_is_read(world: World, encoding: str) -> None:
    """Of 1.2 million wrong ones, 2.4 MB, the refusal took 1.9 GB and half a minute. In UTF-16, U+2200 has the byte of a quote."""
    body = f'{{"name": "\u2200", "more": [{",".join(["[]"] * 100_001)}]}}'.encode(encoding)
    answer = _posted(world, body)
    assert answer.status_code == 413
    assert answer.json()["detail"] == "The body holds more than 100,000 values. Send less at once."


def test_of_many_unknown_fields_the_first_hundred_are_named(world: World) -> None:
    answer = _posted(world, json.dumps({f"x{n}": 0 for n in range(90_000)}).encode())
    assert answer.status_code == 400
    assert len(answer.content) < LONGEST_ANSWER
    assert [error["field"] for error in answer.json()["errors"]] == [f"x{n}" for n in range(100)]
    assert "x99 and 89,900 more: There is no such field." in answer.json()["detail"]


def test_of_many_wrong_values_the_first_hundred_are_named_and_the_others_counted(world: World) -> None:
    address = f"{API}/{world.task}/settings"
    answer = ask(address, world.tokens["organiser"], method="PATCH", data={"measures": [0] * 90_000})
    assert answer.status_code == 422
    assert len(answer.content) < LONGEST_ANSWER
    *first, last = answer.json()["errors"]
    assert [error["field"] for error in first] == [f"measures.{n}" for n in range(100)]
    assert last == {"field": "", "message": "89,900 more places are wrong."}


def _posted(world: World, body: bytes) -> HttpResponse:
    headers = {"authorization": f"Bearer {world.tokens['stranger']}"}
    return Client().post(f"{API}/teams", body, content_type="application/json", headers=headers)
