"""Rounds of a task by program: the next one added, what earlier ones judged fixed, runs entered again, qrels shown."""

from campaign.models import JudgedBefore, Run, Task
from judging.models import Qrels
from tests.api.makers import World, follow_a_round, score
from tests.api.test_organising import refused, send


def test_a_residual_round_is_added_fixed_and_opened_by_program(world: World) -> None:
    score(world)
    sent = {"slug": "two", "title": "Two", "round_kind": "residual"}
    assert "with_topics" in refused(send(world, "POST", "rounds", {**sent, "with_topics": False}))
    made = send(world, "POST", "rounds", sent)
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["follows"], told["round_kind"], told["phase"]) == (world.cast.task.slug, "residual", "setup")
    two = f"campaigns/{world.cast.campaign.slug}/tasks/two"
    assert world.ask("organiser", f"{two}/judged-before").json()["fixed_at"] is None
    job = world.ask("organiser", f"{two}/judged-before", method="POST")
    assert job.status_code == 202, job.content
    assert world.ask("organiser", job["Location"].partition("/api/v1/")[2]).json()["state"] == "done"
    opened = world.ask("organiser", f"{two}/phase", method="POST", data={"phase": "runs", "confirm": True})
    assert opened.status_code == 200, opened.content
    for role, status in {"anonymous": 401, "stranger": 200, "member": 200}.items():
        assert world.ask(role, f"{two}/judged-before").status_code == status
    fixed = world.ask("member", f"{two}/judged-before").json()
    assert (fixed["pairs"], fixed["sha256"]) == (3, JudgedBefore.objects.get().sha256)
    assert world.ask("organiser", f"{two}/judged-before", method="POST").status_code == 422


def test_rounds_are_grouped_and_name_no_round_that_the_reader_does_not_see(world: World) -> None:
    earlier = follow_a_round(world).task
    address = f"campaigns/{world.cast.campaign.slug}/rounds"
    [group] = world.ask("anonymous", address).json()
    assert [one["slug"] for one in group["rounds"]] == [earlier.slug, world.cast.task.slug]
    assert world.ask("anonymous", world.task).json()["follows"] == earlier.slug
    Task.objects.filter(pk=earlier.pk).update(phase=Task.SETUP)
    assert earlier.slug not in world.ask("member", address).content.decode()
    assert world.ask("member", world.task).json()["follows"] == ""
    assert world.ask("organiser", world.task).json()["follows"] == earlier.slug


def test_a_team_enters_its_runs_of_the_round_before_again(world: World) -> None:
    run = follow_a_round(world)
    [listed] = world.ask("member", f"{world.task}/earlier-runs").json()
    assert (listed["tag"], listed["sha256"]) == ("again", run.sha256)
    assert world.ask("other_member", f"{world.task}/earlier-runs").json() == []
    unknown = world.ask("member", f"{world.task}/earlier-runs", method="POST", data={"tags": ["again", "one"]})
    assert "one" in refused(unknown)["tags"]
    entered = world.ask("member", f"{world.task}/earlier-runs", method="POST", data={"tags": ["again", "again"]})
    assert entered.json() == [{"tag": "again", "is_entered": True, "message": ""}], entered.content
    assert Run.objects.get(task=world.cast.task, tag="again").sha256 == run.sha256
    assert world.ask("member", f"{world.task}/earlier-runs").json() == []


def test_qrels_are_shown_when_what_follows_is_confirmed_and_the_task_says_why_uploads_are_closed(world: World) -> None:
    score(world)
    assert "cannot be undone" in send(world, "POST", "qrels/1/show", {}).content.decode()
    assert world.ask("member", f"{world.task}/qrels").json()["count"] == 0
    shown = send(world, "POST", "qrels/1/show", {"confirm": True})
    assert shown.json()["published_at"] is not None, shown.content
    assert world.ask("member", f"{world.task}/qrels").json()["count"] == 1
    told = world.ask("member", world.task).json()
    assert all(told[name] for name in ("qrels_known_at", "runs_closed_at", "why_no_runs"))
    assert send(world, "POST", "qrels/1/show", {"confirm": True}).status_code == 422
    assert Qrels.objects.get().published_at is not None
