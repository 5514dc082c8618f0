"""Notices, milestones, topics for feedback and runs that rank, by program."""

from uuid import uuid4

from django.utils import timezone

from campaign.accounts.services.accounts import news_see
from campaign.models import Mail, Milestone, Notice, Run, Topic
from campaign.models.mail import NOTICE
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import notice_store
from tests.api.makers import World, publish, score
from tests.api.test_organising import refused, send


def test_a_notice_says_how_many_people_get_it_and_is_written_once(world: World) -> None:
    address = f"campaigns/{world.cast.campaign.slug}/notices"
    notice = {
        "audience": "teams",
        "task": world.cast.task.slug,
        "subject": "News",
        "text": "Soon.",
        "batch": str(uuid4()),
    }
    assert (
        "people get this notice" in refused(world.ask("organiser", address, method="POST", data=notice), 409)["confirm"]
    )
    assert not Notice.objects.exists()
    for _ in range(2):
        sent = world.ask("organiser", address, method="POST", data={**notice, "confirm": True})
        assert sent.status_code == 200, sent.content
    assert Mail.objects.filter(batch=notice["batch"]).count() == sent.json()["people"] > 0
    assert sent.json()["task"] == world.cast.task.slug
    counts = {
        role: world.ask(role, address).json()["count"] for role in ("anonymous", "stranger", "member", "organiser")
    }
    assert counts == {"anonymous": 0, "stranger": 0, "member": 1, "organiser": 1}
    assert world.ask("member", address).json()["items"][0]["people"] is None
    wrong = {**notice, "audience": "nobody", "task": "elsewhere", "confirm": True}
    assert "task" in refused(world.ask("organiser", address, method="POST", data=wrong))


def test_a_milestone_is_changed_by_what_is_sent_alone_and_removed_when_that_is_confirmed(world: World) -> None:
    address = f"campaigns/{world.cast.campaign.slug}/milestones"
    [there] = world.ask("anonymous", address).json()
    one = f"{address}/{there['id']}"
    assert world.ask("organiser", one, method="PATCH", data={"label": "Meeting"}).json() == {
        **there,
        "label": "Meeting",
    }
    assert "link" in refused(world.ask("organiser", one, method="PATCH", data={"link": "javascript:alert(1)"}))
    assert refused(world.ask("organiser", f"{one}/remove", method="POST", data={}), 409)["confirm"]
    assert Milestone.objects.exists()
    assert world.ask("organiser", f"{one}/remove", method="POST", data={"confirm": True}).status_code == 204
    assert not Milestone.objects.exists()


def test_topics_for_feedback_are_chosen_or_drawn_and_confirmed_once_there_are_scores(world: World) -> None:
    assert "topics" in refused(send(world, "PUT", "feedback-topics", {}))
    assert send(world, "PUT", "feedback-topics", {"topics": ["1", "2"]}).status_code == 422
    drawn = send(world, "PUT", "feedback-topics", {"count": 1, "seed": "7"}).json()
    assert (len(drawn["topics"]), len(drawn["others"])) == (1, 1)
    score(world)
    told = refused(send(world, "PUT", "feedback-topics", {"topics": []}), 409)
    assert "no longer for feedback" in told["confirm"]
    assert Topic.objects.filter(is_feedback=True).count() == 1
    assert send(world, "PUT", "feedback-topics", {"topics": [], "confirm": True}).json()["topics"] == []


def test_a_team_names_the_runs_that_rank_until_a_board_is_published(world: World) -> None:
    send(world, "PUT", "feedback-topics", {"topics": ["1"]})
    address = f"{world.task}/runs/one/ranked"
    named = world.ask("member", address, method="PUT", data={"is_ranked": False})
    assert named.json()["is_ranked"] is False, named.content
    assert Run.objects.get(tag="one").is_ranked is False
    assert "members" in world.ask("organiser", address, method="PUT", data={"is_ranked": True}).json()["detail"]
    assert world.ask("member", address, method="PUT", data={"is_ranked": True}).json()["is_ranked"]
    publish(world)
    assert world.ask("member", address, method="PUT", data={"is_ranked": False}).status_code == 422


def test_what_is_new_is_listed_as_on_the_page(world: World) -> None:
    audience = Audience(world.cast.campaign, Notice.TEAMS, kind=NOTICE, but=world.cast.organiser)
    notice = notice_store(audience, title="Soon", body="Here.", batch=uuid4())
    [told] = [entry for entry in world.ask("member", "new").json() if entry["kind"] == "notice"]
    assert (told["text"], told["place"], told["is_new"]) == ("Soon", str(world.cast.campaign), True)
    assert told["url"].endswith(notice.get_absolute_url())
    news_see(actor=world.cast.member, until=timezone.now())
    assert not any(entry["is_new"] for entry in world.ask("member", "new").json())
