import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from runpool.middleware import RequestIds
from tests.factories import Cast


@pytest.mark.parametrize("tail", ["runs/%00/", "topics/%00/", "documents/a%00b/", "runs/?team=%00"])
def test_a_nul_in_an_address_is_a_bad_request_on_every_database(cast: Cast, tail: str) -> None:
    client = Client()
    client.force_login(cast.organiser)
    response = client.get(f"{cast.task.get_absolute_url()}{tail}")
    assert response.status_code == 400


@pytest.mark.parametrize("page", ["/", "/account/login/", "/nowhere/", "/api/v1/campaigns"])
def test_more_parameters_than_the_site_reads_are_a_bad_request_of_one_line(
    db: None, caplog: pytest.LogCaptureFixture, page: str
) -> None:
    client = Client(raise_request_exception=False)
    answer = client.get(f"{page}?{'a=1&' * (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1)}")
    assert answer.status_code == 400
    assert [record.status_code for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == [400]


def test_whatever_a_signed_in_person_gets_is_kept_in_no_cache(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.organiser)
    for page in (
        "/",
        "/account/tokens/",
        cast.task.get_absolute_url(),
        f"{cast.task.get_absolute_url()}runs/",
        "/nowhere/",
    ):
        assert client.get(page)["Cache-Control"] == "private, no-store"
    assert client.get(f"{cast.task.get_absolute_url()}runs/runs.csv")["Cache-Control"] == "private, no-store"


def test_pages_for_visitors_and_files_of_the_design_may_be_cached(cast: Cast) -> None:
    assert "no-store" not in Client().get("/").get("Cache-Control", "")
    order = [name.rpartition(".")[2] for name in settings.MIDDLEWARE]
    assert order.index("WhiteNoiseMiddleware") < order.index("PrivateCacheControl")


def test_an_answer_to_head_has_the_head_of_the_page_and_no_body(db: None) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(b"a page")

    whole = RequestIds(answer)(RequestFactory().get("/"))
    head = RequestIds(answer)(RequestFactory().head("/"))
    assert (whole.content, head.content) == (b"a page", b"")
    assert head["Content-Length"] == "6"
