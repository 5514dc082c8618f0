import pytest
from django.test import Client

from tests.factories import Cast


@pytest.mark.parametrize("tail", ["runs/%00/", "topics/%00/", "documents/a%00b/", "runs/?team=%00"])
def test_a_nul_in_an_address_is_a_bad_request_on_every_database(cast: Cast, tail: str) -> None:
    client = Client()
    client.force_login(cast.organiser)
    response = client.get(f"{cast.task.get_absolute_url()}{tail}")
    assert response.status_code == 400
