"""The API as one object, with an OpenAPI document that includes errors and the operations that need no token."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string
from ninja import NinjaAPI, Router
from ninja.errors import ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation, PathView
from ninja.params.models import QueryModel
from ninja.parser import Parser

from campaign.api.auth import Token
from campaign.api.bodies import MAY_CONFLICT, require_known
from campaign.api.document import leave_out_prose, say_once_a_path, shorten
from campaign.api.errors import add_handlers, errors_of
from campaign.api.limits import READS
from campaign.api.problems import ALL_KINDS, CHANGED_MEANWHILE, CONTENT_TYPE, KINDS, Problem
from campaign.formats.json_values import json_with_single_keys

DESCRIPTION = """What participants, assessors and organisers can do on the pages of this site, under the same permissions.

Refusals have one shape, application/problem+json (RFC 9457). Times are ISO 8601 in UTC. Lists answer with `items`, `count` and
the address of the `next` page. Fields may be added later: programs should ignore fields that they do not use."""
TOKEN = {"Token": {"type": "http", "scheme": "bearer", "description": "Made on the page /account/tokens/."}}
SECURITY: list[dict[str, list[str]]] = [{"Token": []}]
LOCATION = "The address of what was made, or that says how far it is."
CONFLICT = "409"
MOST_VALUES = 100_000
"""A body holds at most so many values: a hundred judgments of 500 subtopics each have half of them."""


class JsonObjects(Parser):
    """Refuses a body that is no object: ninja would take `null` and lists for one without fields.

    It also refuses a body of very many values: each may be wrong, and what is said of a wrong one takes a kilobyte. And a key
    that stands twice in one object.
    """

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body = json_with_single_keys(request.body, MOST_VALUES)
        if not isinstance(body, dict):
            raise TypeError("The body is no JSON object.")
        return body


class RunpoolAPI(NinjaAPI):
    def __init__(self, **values: Any) -> None:
        super().__init__(
            title=f"{settings.SITE_NAME} API",
            version="1.0",
            description=DESCRIPTION,
            urls_namespace="api",
            docs_url=None,
            openapi_url=None,  # runpool.api_pages.api_document: the framework's view adds spaces
            auth=Token(),  # the default of operations
            throttle=READS,
            parser=JsonObjects(),
            **values,
        )
        # By address and whether with prose: each takes a second, and operations do not change while the process runs.
        self._documents: dict[tuple[str, bool], OpenAPISchema] = {}
        self._query_parameters: dict[str, list[str]] = {}  # by operation
        add_handlers(self)
        self.add_decorator(self._knowing_its_parameters, mode="operation")

    def _knowing_its_parameters(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Have an operation refuse query parameters that it does not take, once it knows whose request it is."""

        @wraps(view)
        def knowing(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.GET:
                require_known(request.GET, self._query_parameters[view.__name__], "parameter")
            return view(request, *args, **kwargs)

        return knowing

    def validation_error_from_error_contexts(self, error_contexts: list[Any]) -> ValidationError:
        return errors_of(error_contexts)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """With all that is said of operations and values, for the page of the API."""
        return self._document(self.get_root_path(path_params or {}) if path_prefix is None else path_prefix, True)

    def document_for_tools(self) -> OpenAPISchema:
        """With summaries, and little more than what programs are generated from."""
        return self._document(self.get_root_path({}), False)

    def _document(self, prefix: str, has_prose: bool) -> OpenAPISchema:
        if (prefix, has_prose) not in self._documents:
            document = self._make_document(prefix)
            if has_prose:
                shorten(document)
            else:
                leave_out_prose(document)
                shorten(document)
                say_once_a_path(document)
            self._documents[prefix, has_prose] = document
        return self._documents[prefix, has_prose]

    def _make_document(self, prefix: str) -> OpenAPISchema:
        document = super().get_openapi_schema(path_prefix=prefix)
        components = document["components"]
        components["schemas"] |= _problem_schemas()
        components["responses"] = _refusals()
        components["securitySchemes"] = TOKEN
        document["security"] = SECURITY
        document["externalDocs"] = {"url": prefix, "description": "What operations and values mean, with examples."}
        for operations in document["paths"].values():
            for operation in operations.values():
                _complete(operation, components["schemas"])
        return document

    def add_routers(self, *names: str) -> None:
        """By their dotted names, so that no earlier app imports a later one.

        As one router: of two that have an address in common, the framework would ask the first one only.
        """
        whole = Router()
        for name in names:
            router: Router = import_string(name)
            for path, view in router.path_operations.items():
                _add(whole, path, view.clone(), router.tags)
                for operation in view.operations:
                    self._query_parameters[operation.view_func.__name__] = _names_in_query(operation)
        self.add_router("", whole)


def _add(whole: Router, path: str, view: PathView, tags: list[str] | None) -> None:
    for operation in view.operations:
        operation.tags = operation.tags or tags
    if path in whole.path_operations:
        whole.path_operations[path].operations += view.operations
    else:
        whole.path_operations[path] = view


def _names_in_query(operation: Operation) -> list[str]:
    """The parameters that it takes in the query, as requests write them.

    Public is only the document of all operations, which takes a second to make.
    """
    queries = (model for model in operation.models if issubclass(model, QueryModel))
    return [name for model in queries for name in model.__ninja_flatten_map__]


def is_public(operation: dict[str, Any]) -> bool:
    """Whether an operation of the document answers without a token."""
    return {} in operation.get("security", SECURITY)


def _may_conflict(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether its body has a field that is marked so."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        name = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
        if any(MAY_CONFLICT.items() <= field.items() for field in schemas.get(name, {}).get("properties", {}).values()):
            return True
    return False


def _complete(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    if {name for entry in operation.pop("security") for name in entry} == {"TokenOrNobody"}:
        operation["security"] = [*SECURITY, {}]
    for status, answer in operation["responses"].items():
        if status in (201, 202):
            answer["headers"] = {"Location": {"description": LOCATION, "required": True, "schema": {"type": "string"}}}
    if _may_conflict(operation, schemas):
        operation["responses"][409] = {"$ref": f"#/components/responses/{CONFLICT}"}
    # By `default`: all refusals of all operations by their statuses were half of the document.
    operation["responses"]["default"] = {"$ref": "#/components/responses/Problem"}


def _refusals() -> dict[str, Any]:
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    text = {"type": "string"}
    kinds = [f"{kind.status}: {kind.title}." for kind in sorted(ALL_KINDS, key=lambda kind: kind.status)]
    return {
        "Problem": {
            "description": " ".join(["Every refusal, of any operation.", *kinds]),
            "headers": {
                "WWW-Authenticate": {"description": "Of 401: Bearer.", "schema": text},
                "Retry-After": {"description": "Of 429 and 503: seconds to wait.", "schema": text},
            },
            "content": content,
        },
        CONFLICT: {"description": f"{KINDS[409].title}, or: {CHANGED_MEANWHILE.title}.", "content": content},
    }


def _problem_schemas() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**schema.pop("$defs"), "Problem": schema}
