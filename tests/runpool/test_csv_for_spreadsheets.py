"""A CSV file begins with a byte-order mark where its address asks for it, and nowhere else."""

import re
from collections.abc import Iterable, Iterator
from io import BytesIO

import pytest
from django.http import FileResponse, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from campaign.formats.sent_tables import read_table
from runpool.middleware import CsvForSpreadsheets
from tests.campaign.teams.makers import make_agreement
from tests.factories import Cast
from tests.places import REPOSITORY

CSV, TEXT = "text/csv; charset=utf-8", "team\nZürich\n".encode()
KINDS = {
    "plain": lambda: HttpResponse(TEXT, content_type=CSV),
    "streamed": lambda: StreamingHttpResponse(iter([TEXT[:3], TEXT[3:]]), content_type=CSV),
    "stored": lambda: FileResponse(BytesIO(TEXT), content_type=CSV),
}


def content(response: HttpResponseBase, asked: dict[str, str]) -> bytes:
    answer = CsvForSpreadsheets(lambda request: response)(RequestFactory().get("/a.csv", asked))
    found = bytes(answer.getvalue())
    assert answer.get("Content-Length", str(len(found))) == str(len(found))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_csv_file_has_the_mark_where_it_is_asked_for_alone(kind: str) -> None:
    assert content(KINDS[kind](), {"for": "spreadsheet"}) == b"\xef\xbb\xbf" + TEXT
    for asked in ({}, {"for": "program"}, {"for": ""}):
        assert content(KINDS[kind](), asked) == TEXT


def test_what_is_no_csv_file_stays_as_it_is() -> None:
    assert content(JsonResponse({}), {"for": "spreadsheet"}) == b"{}"


def names_of_csv_files(patterns: Iterable[URLPattern | URLResolver]) -> Iterator[str]:
    """The names of addresses, in templates, that lead to nothing but CSV."""
    for one in patterns:
        if isinstance(one, URLResolver):
            yield from names_of_csv_files(one.url_patterns)
        elif str(one.pattern).endswith(".csv"):
            yield str(one.name)


HREF = re.compile(r'href="((?:\{%.*?%\}|\{\{.*?\}\}|[^"{])*)"')
TAG = re.compile(r"\{% \w+ (.*?) as (\w+) %\}")


def links_to_csv(text: str, names: set[str]) -> list[str]:
    """What a template links by itself, without the tag `csv_links`, which adds the partner for spreadsheets."""
    csv = re.compile("|".join(rf"\b{name}\b" for name in {"csv", "csv_url", *names}))
    held = {variable for values, variable in TAG.findall(text) if csv.search(values)}
    is_csv = re.compile("|".join([csv.pattern, *(rf"\b{variable}\b" for variable in held)]))
    return [link for link in HREF.findall(text) if is_csv.search(link)]


def test_every_link_to_a_csv_file_has_its_partner_for_spreadsheets() -> None:
    names = set(names_of_csv_files(get_resolver().url_patterns))
    assert {"pool_choices", "agreement_csv", "runs_csv"} <= names
    by_itself = (
        "{% task_url 'pool_choices' task as log %}<a href=\"{{ log }}?a=1\"><a href=\"{% board_page seen 'csv' %}\">"
    )
    assert links_to_csv(by_itself, names) == ["{{ log }}?a=1", "{% board_page seen 'csv' %}"]
    templates = (REPOSITORY / "templates").rglob("*.html")
    found = {path.name: links_to_csv(path.read_text(), names) for path in templates}
    assert {name: links for name, links in found.items() if links} == {}


@pytest.mark.django_db
def test_the_pages_that_offer_csv_offer_it_for_spreadsheets(cast: Cast) -> None:
    make_agreement(cast.campaign, cast.organiser, "Terms")
    client = Client()
    client.force_login(cast.organiser)
    slug = {"campaign_slug": cast.campaign.slug}
    pages = {
        "registration_list": "registration_csv",
        "campaign_log": "campaign_log_csv",
        "agreement_list": "agreement_record",
    }
    for page, file in pages.items():
        address = reverse(file, kwargs=slug)
        assert f'href="{address}?for=spreadsheet"' in client.get(reverse(page, kwargs=slug)).content.decode()
        marked = client.get(address, {"for": "spreadsheet"}).getvalue()
        assert marked == b"\xef\xbb\xbf" + client.get(address).getvalue()
        assert read_table(marked).columns
