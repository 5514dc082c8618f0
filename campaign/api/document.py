"""The OpenAPI document without what says nothing and with what it says several times in one place.

The framework repeats every parameter and refusal at each operation, and every field of a form in each body that has it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

REFERENCE = "#/components/{}/{}"
SCHEMA = re.compile(REFERENCE.format("schemas", r'([^"]+)"'))
SENTENCE_END = re.compile(r"(?<=\.)\s")
FIELDS_WORTH_INHERITING = 10


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the document, and its name as a component."""

    holder: Any
    key: int | str
    name: str


def shorten(document: dict[str, Any]) -> None:
    """In place. The same is described, by references: `resolved` follows them."""
    components = _plain(document["components"])
    paths = _plain(document["paths"])
    document |= {"paths": paths, "components": components}
    operations = [operation for operations in paths.values() for operation in operations.values()]
    _leave_out_unused(document)
    _inherit(components["schemas"])
    for operation in operations:
        for parameter in operation["parameters"]:
            parameter["schema"].pop("description", None)  # the parameter has it too
    _share(components, "parameters", _parameters(operations))
    _share(components, "headers", _headers(operations))
    _share(components, "responses", _responses(operations))
    _share(components, "schemas", _fields(components["schemas"]))


def leave_out_prose(document: dict[str, Any]) -> None:
    """In place, before it is shortened: of what is said, only summaries and the first sentence on values that are sent stay.

    The rest is for people, who read it on the page of the API.
    """
    schemas = document["components"]["schemas"]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    asked = [[operation["parameters"], operation.get("requestBody")] for operation in operations]
    sent = _named_in(asked, schemas)
    for operation in operations:
        operation.pop("description", None)
        for parameter in operation["parameters"]:
            _say_first(parameter)
    for name, schema in schemas.items():
        schema.pop("description", None)
        for field in schema.get("properties", {}).values():
            if name in sent:
                _say_first(field)
            else:
                field.pop("description", None)


def _say_first(described: dict[str, Any]) -> None:
    if "description" in described:
        described["description"] = SENTENCE_END.split(described["description"], maxsplit=1)[0]


def say_once_a_path(document: dict[str, Any]) -> None:
    """In place, of a shortened one: parameters that all operations of a path have stand at the path."""
    for operations in document["paths"].values():
        first, *others = [operation["parameters"] for operation in operations.values()]
        common = [parameter for parameter in first if all(parameter in other for other in others)]
        for operation in operations.values():
            own = [parameter for parameter in operation.pop("parameters") if parameter not in common]
            operation |= {"parameters": own} if own else {}
        operations |= {"parameters": common} if common else {}


def resolved(document: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """What a reference leads to; a schema that extends another one with the fields of both."""
    while "$ref" in value:
        _, _, kind, name = value["$ref"].split("/")
        # What stands beside a reference, such as a description, holds for this place.
        beside = {key: entry for key, entry in value.items() if key != "$ref"}
        value = document["components"][kind][name] | beside
    if "allOf" not in value:
        return value
    parts = [resolved(document, part) for part in value["allOf"]]
    return {
        "type": "object",
        "properties": {name: field for part in parts for name, field in part["properties"].items()},
        "required": [name for part in parts for name in part.get("required", [])],
    }


def _plain(value: Any) -> Any:
    """Without titles, which repeat names, and with null as one of the types of a value."""
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    # A field may have the name “title”: then this is an object.
    value = {key: _plain(entry) for key, entry in value.items() if key != "title" or not isinstance(entry, str)}
    match value.get("anyOf"):
        case [{"type": str(kind), **details}, {"type": "null"}] if not {"enum", "const"} & set(details):
            del value["anyOf"]
            return {"type": [kind, "null"], **details, **value}
    return value


def _leave_out_unused(document: dict[str, Any]) -> None:
    """The framework names the classes of parameters as schemas, which nothing refers to."""
    schemas = document["components"]["schemas"]
    used = _named_in([document["paths"], document["components"]["responses"]], schemas)
    document["components"]["schemas"] = {name: schema for name, schema in schemas.items() if name in used}


def _named_in(value: Any, schemas: dict[str, Any]) -> set[str]:
    """The schemas that it refers to, and that these refer to."""
    named: set[str] = set()
    found = set(SCHEMA.findall(json.dumps(value)))
    while found:
        named |= found
        found = set(SCHEMA.findall(json.dumps([schemas[name] for name in found]))) - named
    return named


def _inherit(schemas: dict[str, Any]) -> None:
    """Have what is a long schema and more refer to it."""
    whole = {name: schema for name, schema in schemas.items() if _may_be_extended(schema)}
    for name, schema in whole.items():
        bases = [base for base in whole if base != name and _extends(schema, whole[base])]
        if bases:
            base = max(bases, key=lambda base: len(whole[base]["properties"]))
            known = whole[base]["properties"]
            own = {field: details for field, details in schema["properties"].items() if field not in known}
            required = [field for field in schema["required"] if field not in whole[base]["required"]]
            reference = {"$ref": REFERENCE.format("schemas", base)}
            schemas[name] = {"allOf": [reference, {"type": "object", "properties": own, "required": required}]}


def _may_be_extended(schema: dict[str, Any]) -> bool:
    """Not what takes no further fields."""
    return {"type", "properties", "required"} == set(schema) - {"description"}


def _extends(schema: dict[str, Any], base: dict[str, Any]) -> bool:
    fields = base["properties"]
    return (
        FIELDS_WORTH_INHERITING <= len(fields) < len(schema["properties"])
        and fields.items() <= schema["properties"].items()
        and set(base["required"]) <= set(schema["required"])
    )


def _parameters(operations: list[dict[str, Any]]) -> Iterator[Place]:
    for operation in operations:
        for at, parameter in enumerate(operation["parameters"]):
            yield Place(operation["parameters"], at, parameter["name"])


def _headers(operations: list[dict[str, Any]]) -> Iterator[Place]:
    for operation in operations:
        for answer in operation["responses"].values():
            for name in answer.get("headers", {}):
                yield Place(answer["headers"], name, name)


def _responses(operations: list[dict[str, Any]]) -> Iterator[Place]:
    for operation in operations:
        for status, answer in operation["responses"].items():
            named = SCHEMA.findall(json.dumps(answer))
            yield Place(operation["responses"], status, f"{''.join(named)}{status}")


def _fields(schemas: dict[str, Any]) -> Iterator[Place]:
    for schema in list(schemas.values()):
        for part in (schema, *schema.get("allOf", [])):
            for name in part.get("properties", {}):
                yield Place(part["properties"], name, name)


def _share(components: dict[str, Any], kind: str, places: Iterator[Place]) -> None:
    """Move what stands in several places into the components, where the references are shorter."""
    alike: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        value = place.holder[place.key]
        if "$ref" not in value:
            alike.setdefault((place.name, json.dumps(value, sort_keys=True)), []).append(place)
    saved = {
        (name, text): (len(same) - 1) * len(text) - len(same) * len(REFERENCE.format(kind, name))
        for (name, text), same in alike.items()
    }
    shared = components.setdefault(kind, {})
    # Of two with the same name the one that saves more gets it; the other stays where it is.
    for which in sorted(saved, key=lambda which: saved[which], reverse=True):
        name, same = which[0], alike[which]
        if saved[which] > 0 and name not in shared:
            shared[name] = same[0].holder[same[0].key]
            for place in same:
                place.holder[place.key] = {"$ref": REFERENCE.format(kind, name)}
