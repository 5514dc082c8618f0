"""The OpenAPI document is short, and says what each operation takes and answers."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from campaign.api.document import resolved, shorten
from runpool.api import api
from tests.api.makers import operations_of

MOST_BYTES = 200_000
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.fixture
def served(db: None) -> bytes:
    answer = Client().get("/api/v1/openapi.json")
    assert answer["Content-Type"] == "application/json"
    return answer.content


def test_the_document_is_small(served: bytes) -> None:
    assert len(served) < MOST_BYTES


def test_tools_get_the_structure_of_what_people_read(served: bytes) -> None:
    long, short = json.loads(json.dumps(api.get_openapi_schema())), json.loads(served)
    assert short["externalDocs"]["url"] == "/api/v1/"
    for [*names, read], [*same, given] in zip(operations_of(long), operations_of(short), strict=True):
        assert (read["operationId"], names) == (given["operationId"], same)
        for part in ("parameters", "requestBody", "responses"):
            assert unfolded(short, given.get(part)) == unfolded(long, read.get(part)), (read["operationId"], part)


def unfolded(document: Any, value: Any) -> Any:
    """With what references lead to, and without prose."""
    if isinstance(value, list):
        return [unfolded(document, entry) for entry in value]
    if not isinstance(value, dict):
        return value
    whole = resolved(document, value)
    return {name: unfolded(document, each) for name, each in whole.items() if name != "description" or is_field(each)}


def is_field(described: Any) -> bool:
    return isinstance(described, dict)


def test_the_document_refers_to_nothing_that_it_lacks(served: bytes) -> None:
    document = json.loads(served)
    references = set(re.findall(r'"\$ref":"([^"]+)"', served.decode()))
    assert len(references) > 100
    for reference in references:
        assert resolved(document, {"$ref": reference}), reference


def test_every_operation_is_described_with_a_success_and_its_refusals(served: bytes) -> None:
    document = json.loads(served)
    for path, _, operation in operations_of(document):
        assert operation["summary"], operation["operationId"]
        named = {resolved(document, each)["name"] for each in operation["parameters"]}
        assert set(re.findall(r"{(\w+)}", path)) <= named
        answers = {status: resolved(document, answer) for status, answer in operation["responses"].items()}
        assert {status[0] for status in answers} - {"4"} == {"2", "d"}, operation["operationId"]
        assert "application/problem+json" in answers["default"]["content"]
        assert all(answer["description"] for answer in answers.values())


def test_the_parameters_that_an_operation_takes_in_the_query_are_those_of_the_document(served: bytes) -> None:
    document = json.loads(served)
    for _, _, operation in operations_of(document):
        parameters = [resolved(document, entry) for entry in operation["parameters"]]
        told = [parameter["name"] for parameter in parameters if parameter["in"] == "query"]
        assert api._query_parameters[operation["operationId"]] == told


def test_what_is_repeated_is_referred_to_and_means_the_same() -> None:
    tag = {"in": "path", "name": "tag", "required": True, "schema": {"title": "Tag", **TEXT}}
    other_tag = {"in": "query", "name": "tag", "required": False, "schema": TEXT}
    document: Any = {
        "paths": {
            f"/{name}/{{tag}}": {"get": {"parameters": [tag], "responses": {200: answer(name)}}}
            for name in ("Out", "Detail")
        },
        "components": {"schemas": schemas(), "responses": {}},
    }
    document["paths"]["/other"] = {"get": {"parameters": [other_tag], "responses": {200: answer("Out")}}}
    shorten(document)
    [first, second, third] = [operations["get"]["parameters"] for operations in document["paths"].values()]
    assert first == second == [{"$ref": "#/components/parameters/tag"}]
    assert third == [other_tag]
    assert document["components"]["parameters"] == {"tag": {**tag, "schema": TEXT}}
    short = document["components"]["schemas"]
    assert "Unused" not in short
    assert short["Detail"]["allOf"][0] == {"$ref": "#/components/schemas/Out"}
    whole = resolved(document, {"$ref": "#/components/schemas/Detail"})
    assert set(whole["properties"]) == set(whole["required"]) == set(schemas()["Detail"]["properties"])
    assert resolved(document, whole["properties"]["title"]) == {"type": ["string", "null"], "description": "Long. " * 9}


def answer(schema: str) -> Any:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": "OK", "content": content}


def schemas() -> Any:
    title = {"title": "Title", "anyOf": [TEXT, {"type": "null"}], "description": "Long. " * 9}
    fields = {"title": title, **{f"number_{n}": NUMBER for n in range(10)}}
    more = {**fields, "state": TEXT}
    return {
        "Out": {"title": "Out", "type": "object", "properties": fields, "required": list(fields)},
        "Detail": {"title": "Detail", "type": "object", "properties": more, "required": list(more)},
        "Unused": {"title": "Unused", "type": "object", "properties": {}},
    }
