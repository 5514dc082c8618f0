"""Readers of variables: what each takes, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from runpool import env, readers
from runpool.readers import Reader

BUCKET = "s3://runs/site?endpoint=https://s3.example.org&region=eu-1"
READ: list[tuple[Reader[Any], str, Any]] = [
    (readers.boolean, "yes", True),
    (readers.boolean, "ON", True),
    (readers.boolean, "0", False),
    (readers.whole_number(0, 100), "0", 0),
    (readers.whole_number(0, 100), "12", 12),
    (readers.size(1), "256M", 256 * 1024**2),
    (readers.size(1), "4GiB", 4 * 1024**3),
    (readers.size(1), "1 gb", 1024**3),
    (readers.size(1), "1000", 1000),
    (readers.choice("DEBUG", "INFO"), "info", "INFO"),
    (readers.host_names, "runs.example.org, .example.org,[::1],*", ["runs.example.org", ".example.org", "[::1]", "*"]),
    (readers.hosts_and_ports, "Corpus.example.org:8080", frozenset({"corpus.example.org:8080"})),
    (
        readers.origins,
        "https://runs.example.org,http://*.example.org:81",
        ["https://runs.example.org", "http://*.example.org:81"],
    ),
    (readers.mail_address, "Runs <runs@example.org>", "Runs <runs@example.org>"),
    (readers.mail_address, '"Runs, Ltd" <runs@example.org>', '"Runs, Ltd" <runs@example.org>'),
    (readers.token, "kept+4/tests=" * 3, "kept+4/tests=" * 3),
    (readers.storage, "S3://runs/site", "s3://runs/site"),
    (readers.storage, "FILE:///srv/Files", "file:///srv/Files"),
    (readers.database, "POSTGRES://u:P@Host/Database", "postgres://u:P@Host/Database"),
    (readers.address("redis", "files", example="x"), "Files://localhost", "files://localhost"),
    (readers.address("redis", "files", example="x"), "REDIS://:Secret@h/1", "redis://:Secret@h/1"),
    (readers.origins, "https://runs.example.org:65535", ["https://runs.example.org:65535"]),
    (readers.host_names, "xn--mnchen-3ya.example", ["xn--mnchen-3ya.example"]),
    (readers.name, "Läufe & Söhne", "Läufe & Söhne"),
]
SAME = [
    (readers.database, "postgres://user:p%40ss@host:5432/database?sslmode=verify-full"),
    (readers.database, "postgresql://[::1]/database"),
    (readers.database, "postgres:////run/postgresql/database"),
    (readers.database, "postgres://%2Frun%2Fpostgresql/database"),
    (readers.database, "sqlite:////srv/site.sqlite3"),
    (readers.storage, "file:///srv/files"),
    (readers.storage, BUCKET),
    (readers.address("redis", example="x"), "redis://:secret@127.0.0.1:6379/0"),
    (readers.address("rediss", example="x"), "rediss://h:6380/0?ssl_cert_reqs=required&ssl_ca_certs=/etc/first.pem"),
    (
        readers.address("smtp+tls", without_host=("consolemail",), example="x"),
        "smtp+tls://user:password@mail.example.org:587",
    ),
    (readers.address("smtp+tls", without_host=("consolemail",), example="x"), "consolemail://"),
]
REDIS = readers.address("redis", "rediss", example="x")
REFUSED: list[tuple[Reader[Any], str]] = [
    *((readers.boolean, given) for given in ("maybe", "2", "y")),
    *((readers.whole_number(1, 100), given) for given in ("0", "-1", "1.5", "ten", "1_0", "101", "9" * 30)),
    *((readers.size(1), given) for given in ("0", "0K", "256X", "M", "-1M", "1.5G", "256MiBB", "9" * 20 + "T")),
    (readers.choice("plain", "json"), "xml"),
    *((readers.folder, given) for given in ("data", "./data", "~/data", "file:///srv")),
    *((readers.host_names, given) for given in ("https://runs.example.org", "runs.example.org:80", "a b", "...", ",")),
    *((readers.hosts_and_ports, given) for given in ("https://corpus.example.org", "corpus.example.org/x")),
    *((readers.origins, given) for given in ("runs.example.org", "https://runs.example.org/x", "https://...")),
    *((readers.mail_address, given) for given in ("runs", "runs@", "@example.org", "a@b@c", "runs@...")),
    *((readers.mail_address, given) for given in ("Runs, Ltd <runs@example.org>", "runs@example..org", "runs@example.org.")),
    *((readers.origins, given) for given in ("https://.example.org", "https://*example.org")),
    *((reader, given) for reader, given in ((readers.site, "https://.example.org"), (readers.hosts_and_ports, ".example.org"))),
    *((readers.token, given) for given in ("x", "x" * 31, "two words " * 4, "schlüssel" * 4)),
    *((readers.database, given) for given in ("postgres://...", "postgres://host", "postgre://h/d", "sqlite:///site.db")),
    *((readers.database, given) for given in ("/srv/site.db", "mysql://h/d", "postgres://h:port/d", "postgres:///d", "sqlite://")),
    *((readers.folder, given) for given in ("/", "/etc", "/home/", "/usr/bin/../lib", "/srv/a\nb")),
    *((readers.host_names, given) for given in ("münchen.example", "runs.example.org,bücher.example")),
    *((readers.origins, given) for given in ("https://münchen.example", "https://runs.example.org:65536")),
    *((readers.site, given) for given in ("https://runs.example.org:99999", "https://münchen.example", "https://h:0")),
    *((readers.name, given) for given in ("two\nlines", "\u2028x", "x" * 81)),
    *((readers.database, given) for given in ("sqlite://:memory:",)),
    *((readers.storage, given) for given in ("file:///", "file:////", "file:///var/lib", "s3://runs..site", "s3://10.0.0.1")),
    *((readers.storage, given) for given in ("file:///usr/share/doc", "file:///proc/1", "file:///run/user", "file:///var/www")),
    *((readers.folder, given) for given in ("/dev/shm", "/usr/share/doc", "/boot/x", "/sys/x", "/var/backups", "/run/user")),
    *((readers.address("redis", example="x"), given) for given in ("redis://h/abc", "redis://h/0/1", "redis://h/-1")),
    *((readers.storage, given) for given in ("s3://...", "s3://", "s3://bucket/...", "s3://bucket?endpoint=https://...")),
    *((readers.storage, given) for given in ("s3://bucket?region=…", "s3://bucket?endpoint=", "s3://bucket?regio=eu-1")),
    *((readers.storage, given) for given in ("file://rel/x", "file://x", "file:///...", "/srv/files", "S4://b", "file:///a?b")),
    *((readers.address("redis", example="x"), given) for given in ("redis://...", "redis://", "redis:/h", "rediss://h")),
    *((readers.address("redis", example="x"), given) for given in ("127.0.0.1:6379", "redis://h:70000", "redis://a b")),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "given", "expected"), READ, ids=[given for _, given, _ in READ])
def test_a_reader_makes_a_value_of_its_type(reader: Reader[Any], given: str, expected: Any) -> None:
    assert (found := reader.read(given)) == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(("reader", "given"), SAME, ids=[given for _, given in SAME])
def test_an_address_that_is_complete_is_taken_as_it_is(reader: Reader[str], given: str) -> None:
    assert reader.read(given) == given


@pytest.mark.parametrize(("reader", "given"), REFUSED, ids=[given[:40] for _, given in REFUSED])
def test_what_is_not_of_the_type_or_not_filled_in_is_refused(reader: Reader[Any], given: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each reader's own text is in `takes`
        reader.read(given)


@pytest.mark.parametrize(
    ("reader", "given", "told"),
    [
        (REDIS, "redis://h/0?ssl_cert_reqs=none", "no options"),
        (REDIS, "rediss://h/0?nosuch=1", "only ssl_cert_reqs, ssl_ca_certs"),
        (REDIS, "rediss://h/0?ssl_cert_reqs=bogus", "ssl_cert_reqs takes required or optional or none"),
        (REDIS, "rediss://h/0?ssl_ca_certs=first.pem", "ssl_ca_certs takes an absolute path"),
        (REDIS, "rediss://h/0?ssl_ca_certs", "name=value"),
        (readers.address("smtp", example="x"), "smtp://h?timeout=x", "no options"),
        (readers.address(without_host=("consolemail",), example="x"), "consolemail://?x=1", "no options"),
        (readers.database, "sqlite:////srv/site.sqlite3?timeout=5", "no options"),
        (readers.database, "postgres://h/d?sslmode=require&sslmode=disable", "twice"),
    ],
)
def test_an_option_of_an_address_is_known_or_refused_in_words(reader: Reader[str], given: str, told: str) -> None:
    with pytest.raises(readers.WrongOptionError, match=told):
        reader.read(given)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("s3://...", "'s3://...'"),
        ("file://rel/x", "'file://rel/x'"),
        ("redis://host:99999/0", "'redis://host:99999/0'"),
        ("postgre://user:hunter2@host/db", "'postgre://…'"),
        ("postgres://user:hunter2", "'postgres://…'"),
        ("redis://:hunter?2@host", "'redis://…'"),
        ("s3://bucket?secret=hunter2", "'s3://…'"),
        ("hunter2", "no address (it is not shown here: it may be a secret)"),
        ("user:hunter2@host://x", "no address (it is not shown here: it may be a secret)"),
    ],
)
def test_no_password_and_no_key_of_an_address_is_shown(given: str, shown: str) -> None:
    assert readers.storage.shown(given) == shown


def test_every_default_is_what_its_reader_could_have_made() -> None:
    assert readers.storage.read(env.STORAGE_URL)
    assert readers.database.read(env.DATABASE_URL)
    assert readers.mail_address.read(env.MAIL_FROM)
    assert readers.host_names.read(",".join(env.ALLOWED_HOSTS)) == env.ALLOWED_HOSTS


@pytest.mark.parametrize(
    "given",
    ["https://me:geheim@runs.example.org", "https://runs.example.org/?x=geheim", "https://runs.example.org/#geheim"],
)
def test_the_address_of_the_site_holds_nothing_that_would_stand_in_every_link(given: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence is that of the reader
        readers.site.read(given)
    assert "geheim" not in readers.site.shown(given)
    for sound in ("https://runs.example.org", "http://localhost:8000", "https://example.org/runs", "http://[::1]:8000"):
        assert readers.site.read(sound) == sound


def test_what_has_no_scheme_may_be_a_secret_and_is_not_shown() -> None:
    assert "hunter2" not in readers.storage.shown("hunter2:secret/x")


def test_a_folder_behind_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "link")
    with pytest.raises(ValueError, match="cannot be looked at"):
        readers.folder.read(str(tmp_path / "link"))
