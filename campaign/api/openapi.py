"""The API as one object, with an OpenAPI document that includes errors and the operations that need no token."""

from types import MethodType
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from ninja import NinjaAPI, Router
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation, PathView
from ninja.parser import Parser

from campaign.api.auth import Token
from campaign.api.bodies import require_known
from campaign.api.errors import add_handlers
from campaign.api.limits import READS
from campaign.api.problems import CONTENT_TYPE, KINDS, Problem

DESCRIPTION = """What participants, assessors and organisers can do on the pages of this site, under the same permissions.

Refusals have one shape, application/problem+json (RFC 9457). Times are ISO 8601 in UTC. Lists answer with `items`, `count` and
the address of the `next` page. Fields may be added later: programs should ignore fields that they do not use."""
TOKEN = {"Token": {"type": "http", "scheme": "bearer", "description": "Made on the page /account/tokens/."}}
ALWAYS, WITH_TOKEN, WITH_INPUT, WITH_BODY = (400, 401, 405, 429, 500, 503), (403,), (404, 422), (413,)
HEADERS = {
    201: {"Location": "The address of what was made."},
    202: {"Location": "The address that says how far it is."},
    401: {"WWW-Authenticate": "Bearer."},
    429: {"Retry-After": "Seconds to wait."},
}


class JsonObjects(Parser):
    """Refuses a body that is no object: ninja would take `null` and lists for one without fields."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        body = super().parse_body(request)
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
            auth=Token(),  # the default of operations
            throttle=READS,
            parser=JsonObjects(),
            **values,
        )
        self._documents: dict[str, OpenAPISchema] = {}
        add_handlers(self)
        self.add_decorator(_know_parameters, mode="view")

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Made once for each address of the API: it takes a second, and operations do not change while the process runs."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._documents:
            self._documents[prefix] = self._make_document(prefix)
        return self._documents[prefix]

    def _make_document(self, prefix: str) -> OpenAPISchema:
        document = super().get_openapi_schema(path_prefix=prefix)
        document["components"]["schemas"] |= _problem_schemas()
        document["components"]["securitySchemes"] = TOKEN
        for operations in document["paths"].values():
            for operation in operations.values():
                _complete(operation, document["components"]["schemas"])
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
        self.add_router("", whole)


def _add(whole: Router, path: str, view: PathView, tags: list[str] | None) -> None:
    for operation in view.operations:
        operation.tags = operation.tags or tags
    if path in whole.path_operations:
        whole.path_operations[path].operations += view.operations
    else:
        whole.path_operations[path] = view


def _know_parameters(run: MethodType) -> MethodType:
    """Have an operation refuse query parameters that it does not take, once it knows whose request it is."""
    operation = cast(Operation, run.__self__)
    models = [model for model in operation.models if model.__ninja_param_source__ == "query"]
    known = [name for model in models for name in model.__ninja_flatten_map__]
    read = operation._get_values

    def read_known(request: HttpRequest, path_params: Any, temporal_response: HttpResponse) -> dict[str, Any]:
        require_known(request.GET, known, "parameter")
        return read(request, path_params, temporal_response)

    operation._get_values = read_known  # type: ignore[method-assign]
    return run


def is_public(operation: dict[str, Any]) -> bool:
    """Whether an operation of the document answers without a token."""
    return {} in operation["security"]


def _may_conflict(operation: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether its body has a field whose description speaks of the answer 409."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        name = content["schema"].get("$ref", "").rsplit("/", 1)[-1]
        fields = schemas.get(name, {}).get("properties", {})
        if any("409" in fields.get(name, {}).get("description", "") for name in ("confirm", "seen_sha256")):
            return True
    return False


def _complete(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    names = {name for entry in operation["security"] for name in entry}
    operation["security"] = [{"Token": []}, {}] if names == {"TokenOrNobody"} else [{"Token": []}]
    statuses = {*ALWAYS, *WITH_TOKEN}
    if operation["parameters"] or "requestBody" in operation:
        statuses |= {*WITH_INPUT}
    if "requestBody" in operation:
        statuses |= {*WITH_BODY}
    if _may_conflict(operation, schemas):
        statuses.add(409)
    for status in sorted(statuses):
        content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        operation["responses"][status] = {"description": KINDS[status].title, "content": content}
    for status, answer in operation["responses"].items():
        if headers := HEADERS.get(status):
            schema = {"type": "string"}
            answer["headers"] = {
                name: {"description": words, "required": True, "schema": schema} for name, words in headers.items()
            }


def _problem_schemas() -> dict[str, Any]:
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**schema.pop("$defs"), "Problem": schema}
