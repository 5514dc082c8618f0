"""The OpenAPI document as the reference page shows it: grouped, resolved, with an example of each operation."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from campaign.api.document import resolved
from campaign.api.openapi import is_public

EXAMPLES = {
    "campaign": "velo",
    "task": "everyday-cycling",
    "team": "alba",
    "tag": "bm25",
    "docno": "D-17",
    "file_format": "trec",
    "number": "1",
    "version": "1",
    "invitation": "3",
    "username": "kim",
    "key": "the-key-of-the-link",
    "email": "kim@example.org",
    "name": "Alba",
    "agreements": [1],
    "priority": 2,
    "description": "BM25 over titles",
    "assignment": "7",
    "options": {"encoding": "windows-1252"},
    "import_id": "5f0c2a9e-0c1b-4a6d-9d0e-3b7a1c2d4e5f",
    "agreement": "1",
    "job": "12",
    "kind": "task",
    "deleted": "9",
    "archive": "4",
    "restoration": "0b8e6c1d-4f3a-4c59-9a55-7d1f2e3a4b5c",
    "milestone": "5",
    "question": "6",
    "topic": "401",
    "model_assessor": "2",
    "preference": "8",
    "comparison": "8",
    "act": "close",
    "address": "second",
    "round_kind": "test",
    "tags": ["bm25"],
    "role": "assessor",
    "person": "kim",
    "accept": True,
    "slug": "second",
    "title": "Everyday cycling",
    "text": "Use the documents for research only.",
    "phase": "runs",
    "confirm": True,
    "state": "approved",
    "extra_runs": 1,
    "reason": "The site was away on the last day.",
    "teams": ["alba"],
    "subject": "One week left",
    "batch": "6fa0f4e5-2c5f-4d0c-9b1e-1d7f3a2b4c5d",
    "decision": "reject",
    "strategy": "depth-k",
    "settings": {"depth": 20},
    "assessor": "kim",
    "assessors": ["kim"],
    "topics": ["1", "2"],
    "audience": "public",
    "licence": "CC-BY-4.0",
    "closes_at": "2031-05-04T12:00",
    "due_on": "2031-05-04",
    "limit": 20,
    "judgments": [{"uuid": "6fa0f4e5-2c5f-4d0c-9b1e-1d7f3a2b4c5d", "docno": "D-17", "grade": 2}],
    "preferences": [{"uuid": "6fa0f4e5-2c5f-4d0c-9b1e-1d7f3a2b4c5d", "left": "D-17", "right": "D-4", "answer": "left"}],
    "grades": [
        {
            "uuid": "6fa0f4e5-2c5f-4d0c-9b1e-1d7f3a2b4c5d",
            "topic": "12",
            "docno": "D-17",
            "grade": 2,
            "prompt_sha256": "0" * 64,
        }
    ],
}
FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, a part of a body, or a field of an answer."""

    name: str
    kind: str
    note: str
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    method: str
    path: str
    summary: str
    description: str
    is_public: bool
    parameters: list[Value]
    body: list[Value]
    body_type: str
    answers: list[tuple[str, str, list[Value]]]
    example: str


def groups(document: dict[str, Any], site: str) -> list[tuple[str, list[Entry]]]:
    groups: dict[str, list[Entry]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            groups.setdefault(operation["tags"][0], []).append(_entry(path, method.upper(), operation, document, site))
    return list(groups.items())


def _entry(path: str, method: str, operation: dict[str, Any], document: dict[str, Any], site: str) -> Entry:
    body_type, body = _body(operation, document)
    return Entry(
        name=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        is_public=is_public(operation),
        parameters=[_parameter(resolved(document, parameter)) for parameter in operation["parameters"]],
        body=body,
        body_type=body_type,
        answers=list(_answers(operation, document)),
        example=_example(path, method, operation, body, body_type, site),
    )


def _parameter(parameter: dict[str, Any]) -> Value:
    where = {"path": "in the address", "query": "after the ?"}[parameter["in"]]
    kind = f"{_kind(parameter['schema'])}, {where}"
    return Value(parameter["name"], kind, parameter.get("description", ""), parameter["required"])


def _body(operation: dict[str, Any], document: dict[str, Any]) -> tuple[str, list[Value]]:
    for content_type, content in operation.get("requestBody", {}).get("content", {}).items():
        return content_type, list(_values(content["schema"], document))
    return "", []


def _answers(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[tuple[str, str, list[Value]]]:
    for status, reference in operation["responses"].items():
        if status != "default" and int(status) < 400:
            answer = resolved(document, reference)
            # Several types of content are files of the same thing: none has fields to describe.
            schema: dict[str, Any] = next((content["schema"] for content in answer.get("content", {}).values()), {})
            yield str(status), answer["description"], list(_values(schema, document))


def _values(schema: dict[str, Any], document: dict[str, Any], before: str = "") -> Iterator[Value]:
    """The fields of an object, those of objects within under dotted names."""
    whole = resolved(document, schema)
    required = whole.get("required", [])
    for name, reference in whole.get("properties", {}).items():
        details = resolved(document, reference)
        yield Value(f"{before}{name}", _kind(details), details.get("description", ""), name in required)
        inner = resolved(document, _inner(details))
        if "properties" in inner:
            yield from _values(inner, document, f"{before}{name}{'[]' if details.get('type') == 'array' else ''}.")


def _inner(details: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list's items, or of a value that is not null."""
    if details.get("type") == "array":
        items: dict[str, Any] = details["items"]
        return items
    choices: list[dict[str, Any]] = [entry for entry in details.get("anyOf", []) if entry.get("type") != "null"]
    return choices[0] if len(choices) == 1 else details


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value in words."""
    if isinstance(schema.get("type"), list):
        return " or ".join([_kind({**schema, "type": schema["type"][0]}), *schema["type"][1:]])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(entry) for entry in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if "$ref" in schema:
        return "object"
    formats = {"binary": "file", "date-time": "time"}
    return formats.get(schema.get("format", ""), str(schema.get("type", "any")))


def _file(path: str) -> str:
    """Such a file as an import takes: the last step of its address names the kind."""
    return f"{path.rsplit('/', 1)[-1]}.txt"


def _example(path: str, method: str, operation: dict[str, Any], body: list[Value], body_type: str, site: str) -> str:
    address = path.format(**EXAMPLES)
    words = ["curl"] if method == "GET" else ["curl", "-X", method] if body_type != FORM else ["curl"]
    command = " ".join(words)
    if not is_public(operation):
        command += ' -H "Authorization: Bearer $RUNPOOL_TOKEN"'
    if body_type == FORM:
        own = " -F team=alba -F tag=bm25 -F file=@bm25.txt" if path.endswith("/runs") else f" -F file=@{_file(path)}"
        command += own
    elif body:
        example = {value.name: EXAMPLES[value.name] for value in body if value.name in EXAMPLES}
        command += f" \\\n  -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(example))}"
    return f"curl {site}{address}" if command == "curl" else f"{command} \\\n  {site}{address}"
