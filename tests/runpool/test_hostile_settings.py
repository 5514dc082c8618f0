"""Five values that cannot be meant for each variable of the site: each is refused with name, value and what to give."""

import importlib.util
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from runpool import env

DAYS = ("-1", "36501", "1w", "thirty", "1.5")
WRONG: dict[str, Sequence[str]] = {
    "DEBUG": ("maybe", "tru", "2", "yes no", "\u662f"),
    "DATA_DIR": ("rel", "~/x", "/proc/self", "/srv/a\x1b[2J", "/srv/" + "a" * 5000, "/srv/a%20b"),
    "SECRET_KEY": ("'quoted'", '"quoted"', "'", '"', "''"),
    "ALLOWED_HOSTS": ("https://a.b", "a:80", "..", "a;b", "a..b"),
    "CSRF_TRUSTED_ORIGINS": ("a.b", "https://a/", "https://*", "ftp://a", "https://u:p@a"),
    "SECURE": ("maybe", "yes!", "T", "oui", "-1"),
    "DATABASE_URL": (
        "postgres://h",
        "pg://h/d",
        "sqlite:///rel",
        "postgres://u:p@h:99999/d",
        "sqlite:////x?mode=memory",
        "sqlite:////srv/" + "a" * 300,
        "sqlite:////srv/a\x01b",
    ),
    "BROKER_URL": ("files://otherhost", "files://localhost/tmp/x", "redis://h/16x", "amqp://h", "memory://"),
    "STORAGE_URL": ("s3://", "file://rel", "file:///srv/a%20b", "file:///srv/a\x01b", "file:///srv/" + "a" * 300),
    "STORAGE_COPIES_BYTES": ("-1", "1e9", "4 gigs", "0x10", "\uff11\uff12"),
    "STORAGE_DOWNLOADS": ("redirect", "sign", "signed,streamed", "on", "0"),
    "STORAGE_PUBLIC_ENDPOINT": ("files.a.b", "s3://a", "https://a/b", "https://u:p@a", "https://a?x=1"),
    "EMAIL_URL": ("smtp://", "mail.example.org", "http://h", "smtp://h:99999", "smtp://h?ssl=1"),
    "CACHE_URL": ("redis://", "memcached://h", "files://localhost", "redis://h/a", "redis://h/-1"),
    "SITE_URL": ("runs.example.org", "https://a..b", "http://a/../b", "https://a//b", "https://u:p@a"),
    "MAIL_FROM": ("x", "a@b\nBcc: c@d", "<>", "a@b, c@d", "Runs <a@b> x", "Runs \u202e <a@b.c>"),
    "SITE_NAME": ("a\nb", "x" * 81, "\x1b[31m", "\u202eevil", "a\ufeffb"),
    "CAMPAIGN_CREATION": ("all", "nobody", "everybody,staff", "Staff!", "0"),
    "TRUSTED_PROXY_COUNT": ("-1", "101", "one", "1.0", "\u0663"),
    "LOG_LEVEL": ("verbose", "INFO,DEBUG", "10", "TRACE", "warn"),
    "LOG_FORMAT": ("xml", "JSON5", "plain json", "1", "text"),
    "METRICS_TOKEN": ("x", "a b" * 20, "\u00e9" * 40, "x" * 31, "two\nlines" * 9),
    "DATABASE_POOL": ("-1", "1001", "8.0", "eight", "8;"),
    "UPLOADS_AT_ONCE": ("0", "-1", "1001", "two", "2x"),
    "UPLOAD_LIMIT_BYTES": ("0", "-5", "256Mb!", "1.5G", "inf"),
    "FREE_SPACE_MINIMUM": ("-1", "10%", "NaN", "1 GB free", "9" * 5000),
    "RUN_ATTEMPTS_PER_DAY": ("-1", "many", "1000001", "5/day", "5e1"),
    "RUN_BYTES_PER_DAY": ("-1", "5 giga", "5GB/day", "1_000", "--"),
    "DOCUMENT_HOSTS": ("https://a", "a/b", "a:99999", "*", "a b"),
    "KEEP_JOBS_DAYS": DAYS,
    "KEEP_ARCHIVES_DAYS": DAYS,
    "KEEP_EXPORTS_DAYS": DAYS,
    "BACKUP_HOURS": DAYS,
    "VERIFY_DAYS": DAYS,
}
REMEDY = re.compile(r"\. .*(Give|Take|Name|its address is|Its path|takes no options)")


def refusal(monkeypatch: pytest.MonkeyPatch, values: dict[str, str]) -> list[str]:
    """What a process says that starts with these variables, a line for each problem."""
    for name in list(os.environ):
        if name.startswith(env.PREFIX):
            monkeypatch.delenv(name)
    for name, value in values.items():
        monkeypatch.setenv(f"{env.PREFIX}{name}", value)
    found = importlib.util.spec_from_file_location("env_of_a_new_process", Path(env.__file__))
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    with pytest.raises(ImproperlyConfigured) as refused:
        module.require_sound()
    return str(refused.value).split("\n- ")[1:]


def test_every_variable_has_at_least_five_values_here() -> None:
    assert {f"{env.PREFIX}{name}" for name in WRONG} == set(env.NAMES)
    assert min(len(set(values)) for values in WRONG.values()) == 5


@pytest.mark.parametrize("column", range(max(map(len, WRONG.values()))))
def test_a_value_that_cannot_be_meant_is_refused_with_its_variable_and_what_to_give(
    monkeypatch: pytest.MonkeyPatch, column: int
) -> None:
    told = refusal(monkeypatch, {name: values[column % len(values)] for name, values in WRONG.items()})
    assert [line.split()[0] for line in told] == env.NAMES
    for line in told:
        assert REMEDY.search(line), line
        assert len(line) < 600
        assert line.isprintable()
    assert ":p@" not in "".join(told)
