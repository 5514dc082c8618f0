"""Requests made up from the OpenAPI document, sane and insane, against the whole application: none may break it."""

from functools import cache
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS
from schemathesis.generation import GenerationMode

from tests.api.makers import World, application, operations, publish

EXAMPLES = 10
ROLES = ("anonymous", "member", "organiser")
NAMES = sorted(operation.view_func.__name__ for operation in operations())
"""Of the operations. The document has the same (test_access.py); to make it takes half a second of each process."""
WANTED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


@pytest.fixture
def world(world: World) -> World:
    return world


@cache
def schema() -> Any:
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)


@pytest.fixture(autouse=True)
def no_limit(settings: Any) -> None:
    settings.API_READS_PER_MINUTE = settings.API_ANONYMOUS_READS_PER_MINUTE = settings.API_WRITES_PER_MINUTE = 10**6


@pytest.mark.parametrize("name", NAMES)
def test_no_request_breaks_an_operation(world: World, name: str) -> None:
    operation = schema().find_operation_by_id(name)
    if {"{number}", "{version}", "scores"} & set(operation.path.split("/")):
        publish(world)
    checks = CHECKS.get_by_names(list(WANTED))

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in GenerationMode)),
        role=st.sampled_from(ROLES),
        exists=st.integers(0, 3),
    )
    def send(case: Any, role: str, exists: int) -> None:
        if exists:  # most made-up addresses lead nowhere
            _name_what_exists(case, world)
        # The transport without a server, which is used here, unpacks nothing.
        headers = {"Accept-Encoding": "identity"}
        if role in world.tokens:
            headers["Authorization"] = f"Bearer {world.tokens[role]}"
        with transaction.atomic():
            response = case.call(headers=headers)
            case.validate_response(response, checks=checks)
            # The document describes refusals by `default`, under which the library takes any status.
            status = response.status_code
            assert str(status) in operation.definition.raw["responses"] if status < 400 else _is_problem(response)
            transaction.set_rollback(True)

    send()


def _name_what_exists(case: Any, world: World) -> None:
    parameters = case.path_parameters
    parameters.update({name: value for name, value in world.values.items() if name in parameters})
    if isinstance(case.body, dict):
        known = {"team": world.cast.team.slug, "username": world.values["username"], "key": world.values["key"]}
        case.body.update({name: value for name, value in known.items() if name in case.body})


def _is_problem(response: Any) -> bool:
    told = response.json()
    return set(told) == {"type", "title", "status", "detail", "instance", "errors"} and told["detail"] != ""
