"""Addresses that pages had before lead to those that they have now."""

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from runpool.errors import new_address

TASK = "/c/velo/climbs"
OLD = {
    f"{TASK}/scores/of/alba-1/": f"{TASK}/scores/runs/alba-1/",
    f"{TASK}/leaderboard/2/of/alba-1/curve.svg": f"{TASK}/leaderboard/2/runs/alba-1/curve.svg",
    f"{TASK}/scores/as/anonymous/of/alba-1/": f"{TASK}/scores/preview/anonymous/runs/alba-1/",
    f"{TASK}/scores/as/public/heat/": f"{TASK}/scores/preview/public/heatmap/",
    f"{TASK}/scores/as/public/": f"{TASK}/scores/preview/public/",
    f"{TASK}/scores/without/": f"{TASK}/scores/removed-topics/",
    f"{TASK}/scores/without.csv": f"{TASK}/scores/removed-topics.csv",
    f"{TASK}/leaderboard/2/heat/all.csv": f"{TASK}/leaderboard/2/heatmap/all.csv",
    f"{TASK}/scores/trust/": f"{TASK}/scores/reliability/",
    f"{TASK}/leaderboard/2/trust.json": f"{TASK}/leaderboard/2/reliability.json",
    f"{TASK}/pools/3/worth/": f"{TASK}/pools/3/completeness/",
    f"{TASK}/pools/3/worth/figures.csv": f"{TASK}/pools/3/completeness/figures.csv",
    f"{TASK}/judging/assign/topics/": f"{TASK}/judging/assign/grid/",
    f"{TASK}/runs-again/": f"{TASK}/resubmit-runs/",
    "/account/mails/off/1.notice.x/": "/account/emails/unsubscribe/1.notice.x/",
    "/deleted/": "/trash/",
}


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_an_old_address_leads_to_a_page_and_keeps_its_query(db: None, old: str, new: str) -> None:
    answer = Client().get(f"{old}?measure=AP&x=%3F")
    assert (answer.status_code, answer["Location"]) == (301, f"{new}?measure=AP&x=%3F")
    assert resolve(new)
    assert new_address(new) == ""
    with pytest.raises(Resolver404):
        resolve(old)


def test_what_never_moved_is_not_found_and_nothing_is_sent_again(db: None) -> None:
    assert Client().get("/c/velo/climbs/nothing/").status_code == 404
    assert new_address("/c/velo/climbs/runs/runs-again/") == "", "the page of a run with this tag"
    assert Client().post("/c/velo/climbs/scores/of/alba-1/").status_code == 404


def test_an_address_with_signs_of_its_own_stays_on_this_site(db: None) -> None:
    for path in ("/c/a%0Ab/t/scores/of/x/", "/c//evil.example/scores/of/%3Fx/", "/c/v/t/scores/of/%2F%2Fevil/"):
        answer = Client().get(path)
        if answer.status_code == 301:
            assert answer["Location"].startswith("/c/")
            assert "\n" not in answer["Location"]
            assert "?" not in answer["Location"]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_address_of_the_api_that_moved_keeps_its_method(db: None, method: str) -> None:
    answer = Client().generic(method, "/api/v1/deleted/task/3/restore")
    assert (answer.status_code, answer["Location"]) == (308, "/api/v1/trash/task/3/restore")
    assert resolve(answer["Location"])
