"""The client that a program generates from the OpenAPI document: it does each operation once, against the application."""

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest
from django.test import RequestFactory

from campaign.api.document import resolved
from runpool.api_pages import api_document
from tests.api.makers import ROLES, World, application, operations_of
from tests.api.test_access import FILES, NOBODY, ROWS, Row, filled, prepare
from tests.factories import run_lines

PACKAGE = "generated_client"
CONFIGURATION = {
    "post_hooks": [],  # which would format the code
    # Types that the generator does not know.
    "content_type_overrides": {
        "application/gzip": "application/octet-stream",
        "application/zip": "application/octet-stream",
    },
}
REFUSED = {
    "withdraw_registration": (422, "The team has submitted runs"),
    "leave_team": (422, "the only owner"),
    "step_down": (422, "the only owner"),
    "undo_judgment": (422, "no judgment of yours"),
    "undo_preference": (422, "no answer of yours"),
    "delete_campaign": (422, "not deleted"),
    "delete_task": (422, "cannot be deleted"),
    "read_judged_before": (404, "nothing at this address"),
    "fix_judged_before": (422, "Only a residual round"),
    "rank_run": (422, "All valid runs of this task rank"),
    "read_live_board": (404, "nothing at this address"),
    "read_working_reliability": (422, "There is no report"),
    "withdraw_decision": (422, "was not judged by two assessors"),
    **dict.fromkeys(
        ("list_growing_topics", "download_choices", "stop_topic", "go_on_topic"), (404, "nothing at this address")
    ),
}
"""What is understood and refused, since it does not fit the world of these tests: the status, and words of the reason."""


@pytest.fixture
def world(world: World) -> World:
    return world


@pytest.fixture(scope="module")
def served() -> bytes:
    return api_document(RequestFactory().get("/")).content


@pytest.fixture(scope="module")
def document(served: bytes) -> Any:
    return json.loads(served)


@pytest.fixture(scope="module")
def generated(served: bytes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_bytes(served)
    (folder / "configuration.json").write_text(json.dumps(CONFIGURATION))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    command += ["--path", "openapi.json", "--config", "configuration.json", "--output-path", PACKAGE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module(PACKAGE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_generated_client_does_each_operation(world: World, generated: ModuleType, document: Any, row: Row) -> None:
    prepare(world, row)
    path, method, operation = next(
        (path, method, operation)
        for path, method, operation in operations_of(document)
        if operation["operationId"] == row.name
    )
    assert method.upper() == row.method
    tag = re.sub(r"\W+", "_", operation["tags"][0]).lower()
    call = _module(f"api.{tag}.{row.name}")
    asked = _parameters(row, path, operation, document, world)
    if "requestBody" in operation:
        asked["body"] = _body(row, operation, world)
    answer = call.sync_detailed(client=_client(generated, world, _role(row)), **asked)
    if row.name in REFUSED:
        status, words = REFUSED[row.name]
        assert (answer.status_code, answer.parsed.status) == (status, status), answer.content
        assert words in answer.parsed.detail
    else:
        assert 200 <= answer.status_code < 300, answer.content
        has_content = "content" in resolved(document, operation["responses"][str(int(answer.status_code))])
        assert (answer.parsed is not None) == has_content


@pytest.mark.parametrize(
    ("read", "change", "body", "path"),
    [
        ("read_campaign_settings", "change_campaign", "CampaignEdit", ["campaign"]),
        ("read_task_settings", "change_task", "TaskEdit", ["campaign", "task"]),
    ],
)
def test_all_settings_that_are_read_can_be_sent_back(
    world: World, generated: ModuleType, read: str, change: str, body: str, path: list[str]
) -> None:
    tag = f"api.organising_{path[-1]}s"
    asked = {name: world.values[name] for name in path}
    client = _client(generated, world, "organiser")
    settings = _module(f"{tag}.{read}").sync(client=client, **asked)
    model = getattr(_module("models"), body)
    names = set(model.__annotations__) - {"round_kind"}  # which cannot be chosen once there are runs
    sent = {name: value for name, value in settings.to_dict().items() if name in names}
    assert len(sent) >= 5
    changed = _module(f"{tag}.{change}").sync(client=client, **asked, body=model.from_dict(sent))
    assert changed.to_dict() == settings.to_dict()


def _module(name: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{name}")


def _client(generated: ModuleType, world: World, role: str) -> Any:
    transport = httpx.WSGITransport(app=application)
    values = {"base_url": "http://testserver", "httpx_args": {"transport": transport}}
    if role == "anonymous":
        return generated.Client(**values)
    return generated.AuthenticatedClient(token=world.tokens[role], **values)


def _role(row: Row) -> str:
    """The last one that gets what is expected: mostly an organiser."""
    wanted = str(REFUSED[row.name][0]) if row.name in REFUSED else "2"
    roles = [role for role, status in zip(ROLES, row.expected.split(), strict=True) if status.startswith(wanted)]
    return "model" if row.expected == NOBODY else roles[-1]


def _parameters(row: Row, path: str, operation: Any, document: Any, world: World) -> dict[str, Any]:
    """Those in the row's address, as the types that the document says."""
    address = httpx.URL(f"/api/v1/{row.address.format(**world.values)}")
    found = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path), address.path)
    assert found, (path, address)
    given = {**found.groupdict(), **address.params}
    types = {
        parameter["name"]: parameter["schema"]
        for parameter in (resolved(document, entry) for entry in operation["parameters"])
    }
    return {name: int(value) if types[name].get("type") == "integer" else value for name, value in given.items()}


def _body(row: Row, operation: Any, world: World) -> Any:
    """The row's data, of which the document has to describe every field."""
    [content] = operation["requestBody"]["content"].values()
    name = content["schema"].get("$ref", f"{row.name.title().replace('_', '')}Body").rsplit("/", 1)[-1]
    model = getattr(_module("models"), name)
    data = filled(row.data or {}, {**world.values, "role": "client"})
    if row.file:
        file = FILES.get(row.file) or run_lines({"1": ["a"], "2": ["c"]}, row.file)
        body = model.from_dict({**data, "file": file})
        body.file.file_name = "file.txt"
        assert body.additional_properties == {}
    else:
        body = model.from_dict(data)
        assert body.to_dict() == data
    return body
