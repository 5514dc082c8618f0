"""Documents without a text, judged by a link to where they are kept."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.document_links import document_link, template_problem
from campaign.models import Document
from campaign.setup.services.tasks import task_update
from judging.judgments.selectors.own_documents import documents
from tests.factories import Cast
from tests.judging.makers import client_of, make_assignment

HOSTS = ["docs.example.org"]
TEMPLATE = "https://docs.example.org/view/{docno}?lang=en"


@pytest.mark.parametrize(
    "template",
    [
        "http://docs.example.org/{docno}",
        "javascript:alert({docno})",
        "//docs.example.org/{docno}",
        "https://docs.example.org/",
        "https://docs.example.org/{docno}/{docno}",
        "https://docs.example.org/{other}/{docno}",
        "https://{docno}.docs.example.org/",
        "https://docs.example.org#{docno}",
        "https://docs.example.org/#{docno}",
        "https://user@docs.example.org/{docno}",
        "https://docs.example.org:8443/{docno}",
        "https://docs.example.org.evil.example/{docno}",
        "https://evil.example/{docno}",
        "https://evil.example\\@docs.example.org/{docno}",
        "https://docs.example.org/ {docno}",
        'https://docs.example.org/"{docno}\n',
        "https://döcs.example.org/{docno}",
        "https://127.0.0.1/{docno}",
        "https:///{docno}",
    ],
)
def test_templates_that_lead_elsewhere_or_nowhere_are_refused_with_a_reason(template: str) -> None:
    assert template_problem(template, HOSTS).endswith((".", "site for more."))
    assert document_link(template, "d1", HOSTS) == ""


@given(st.text(min_size=1, max_size=30))
def test_no_docno_leaves_its_place_in_the_address(docno: str) -> None:
    try:
        docno.encode()
    except UnicodeEncodeError:
        return
    link = document_link(TEMPLATE, docno, HOSTS)
    if docno in {".", ".."}:
        assert link == ""
        return
    middle = link.removeprefix("https://docs.example.org/view/").removesuffix("?lang=en")
    assert link == f"https://docs.example.org/view/{middle}?lang=en"
    assert set(middle) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~%")


@pytest.mark.django_db
def test_the_desk_links_to_documents_elsewhere_as_long_as_the_host_is_allowed(cast: Cast, settings: Any) -> None:
    settings.DOCUMENT_HOSTS = frozenset(HOSTS)
    assignment = make_assignment(cast, ["a/b", "c"])
    Document.objects.filter(docno="a/b").update(has_text=False, text="")
    task_update(actor=cast.organiser, task=cast.task, document_link=TEMPLATE)
    assignment.refresh_from_db()
    held = {row["docno"]: row for row in documents(assignment, ["a/b", "c"])}
    assert held["a/b"]["link"] == "https://docs.example.org/view/a%2Fb?lang=en"
    assert held["c"]["link"] == "https://docs.example.org/view/c?lang=en"
    desk = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="401") + "?docno=a/b")
    anchor = 'href="https://docs.example.org/view/a%2Fb?lang=en" target="_blank" rel="noopener noreferrer"'
    assert anchor in " ".join(desk.content.decode().split())
    settings.DOCUMENT_HOSTS = frozenset()
    assert [row["link"] for row in documents(assignment, ["a/b"])] == [""]


@pytest.mark.django_db
def test_a_template_that_the_site_does_not_allow_is_not_saved(cast: Cast, settings: Any) -> None:
    settings.DOCUMENT_HOSTS = frozenset()
    with pytest.raises(ValidationError, match="Ask its operator to name the host in RUNPOOL_DOCUMENT_HOSTS"):
        task_update(actor=cast.organiser, task=cast.task, document_link=TEMPLATE)
