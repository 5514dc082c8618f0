"""Two machines with one database and different keys: the second one is refused, with what to do."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connections

from campaign.models import SiteFigures
from runpool import REFUSED, site_key
from tests.runpool.backup.sites import OtherSite
from tests.runpool.test_start import BEGIN_BEAT
from tests.sites import CopiedSite

FIRST, SECOND = "the-key-of-the-first-machine-0123456789", "the-key-of-the-second-machine-987654321"
REFUSAL = "RUNPOOL_SECRET_KEY is not the key with which this site was started before."


def ids() -> list[str | None]:
    return [found.id for found in site_key.check_key()]


def kept() -> list[dict[str, str]]:
    return list(SiteFigures.objects.filter(name=SiteFigures.KEY).values_list("values", flat=True))


@pytest.mark.django_db(transaction=True)
def test_the_first_start_keeps_a_fingerprint_and_a_command_takes_another_key(settings: LazySettings) -> None:
    settings.SECRET_KEY = FIRST
    assert (ids(), kept()) == ([], [])  # a check writes nothing
    site_key.keep_first()
    [first] = kept()
    assert ids() == []
    assert FIRST not in str(first)
    settings.SECRET_KEY = SECOND
    site_key.keep_first()
    assert (ids(), kept()) == (["runpool.E022"], [first])
    call_command("accept_secret_key")
    assert ids() == []
    settings.SECRET_KEY = FIRST
    assert ids() == ["runpool.E022"]
    assert SiteFigures.objects.get(name=SiteFigures.KEY).at.tzinfo


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_rows_or_is_away_is_no_reason_not_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    options = connections["default"].settings_dict["OPTIONS"]
    monkeypatch.setitem(options, "options", "-c default_transaction_read_only=on")
    site_key.keep_first()
    monkeypatch.setitem(connections["default"].settings_dict, "NAME", "no_such_database")
    site_key.keep_first()
    assert ids() == []
    monkeypatch.undo()
    assert (ids(), kept()) == ([], [])


@pytest.mark.sqlite("runpool.site_key.keep_first", "runpool.site_key._kept", "runpool.site_key._own_connection")
def test_web_servers_workers_and_beat_refuse_another_key_and_commands_do_not(tmp_path: Path, first_site: Path) -> None:
    first, second = (OtherSite(tmp_path, RUNPOOL_SECRET_KEY=key) for key in (FIRST, SECOND))
    beat, web = ("-c", BEGIN_BEAT), ("-c", "import runpool.wsgi")

    def start(site: OtherSite, words: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *words],
            env=site.environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    assert start(second, beat).returncode == 0  # the database is not there yet: nothing is kept
    assert not (tmp_path / "runpool.sqlite3").exists()
    CopiedSite(tmp_path, first_site).prepare()
    assert start(first, beat).returncode == 0
    for words in (beat, web):
        refused = start(second, words)
        assert refused.returncode == REFUSED, refused.stderr
        assert f"error: {REFUSAL} All machines of a site have one key: copy RUNPOOL_SECRET_KEY" in refused.stderr
        assert "Traceback" not in refused.stderr
    assert REFUSAL in second.manage("check", "--deploy", fails=True)
    assert "The site starts with this key now." in second.manage("accept_secret_key")
    assert start(second, web).returncode == 0
