import pytest
from django.core.management import CommandError, call_command

from pooling.models import Pool
from tests.factories import Cast, make_topics
from tests.pooling.makers import make_valid_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(cast: Cast) -> str:
    make_topics(cast.task, ["1", "2"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b", "c"], "2": ["x"]})
    return f"{cast.campaign.slug}/{cast.task.slug}"


def test_the_command_freezes_a_pool_and_says_so(cast: Cast, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("freeze_pool", address, "--as", cast.organiser.username, "--depth", "2", "--order", "docno")
    pool = Pool.objects.get()
    assert (pool.size, pool.spec["parameters"]["depth"], pool.order) == (3, 2, "docno")
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [f"pool 1: 3 pairs, sha256 {pool.sha256}", "The task is now in the phase Judging."]
    assert said[2].startswith("Uploads closed when the pool was frozen")


def test_the_command_takes_so_many_runs_of_each_team(cast: Cast, address: str) -> None:
    make_valid_run(cast.task, cast.team, "beta", {"1": ["z"]}, priority=2)
    call_command("freeze_pool", address, "--as", cast.organiser.username, "--runs-per-team", "1")
    pool = Pool.objects.get()
    assert [pooled.run.tag for pooled in pool.pool_runs.all()] == ["alpha"]
    assert pool.spec["runs_per_team"] == 1


def test_with_if_none_a_task_that_has_a_pool_keeps_it_alone(cast: Cast, address: str) -> None:
    for depth in ("2", "3"):
        call_command("freeze_pool", address, "--as", cast.organiser.username, "--depth", depth, "--if-none")
    assert [pool.spec["parameters"]["depth"] for pool in Pool.objects.all()] == [2]


def test_the_exported_pool_is_its_file(cast: Cast, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    for depth in ("1", "2"):
        call_command("freeze_pool", address, "--as", cast.organiser.username, "--depth", depth, "--order", "docno")
    capsys.readouterr()
    call_command("export_pool", address)
    assert capsys.readouterr().out == "1 a\n1 b\n2 x\n"
    call_command("export_pool", address, "--pool", "1")
    assert capsys.readouterr().out == "1 a\n2 x\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "0"], "depth is a whole number from 1"),
        (["--runs", "beta"], "no valid run beta"),
        (["--runs-per-team", "none"], "runs_per_team is a whole number"),
        (["--strategy", "budget", "--total", "1"], "too small for 2 topics"),
        (["--max-priority", "0"], "max_priority is a whole number"),
    ],
)
def test_a_wrong_setting_ends_the_command_with_a_message(
    cast: Cast, address: str, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("freeze_pool", address, "--as", cast.organiser.username, *arguments)


def test_who_does_not_organise_the_campaign_cannot_freeze(cast: Cast, address: str) -> None:
    with pytest.raises(CommandError, match="Only organisers freeze pools"):
        call_command("freeze_pool", address, "--as", cast.assessor.username)
    assert not Pool.objects.exists()


def test_exporting_from_a_task_without_a_pool_says_what_to_do(cast: Cast, address: str) -> None:
    with pytest.raises(CommandError, match="no pool yet"):
        call_command("export_pool", address)
    with pytest.raises(CommandError, match="no pool 7"):
        call_command("export_pool", address, "--pool", "7")
