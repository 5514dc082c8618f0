"""Typed readers of environment variables: each makes a value of a text, and says in words which texts it takes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Never, TypeVar
from urllib.parse import SplitResult, parse_qsl, urlsplit

from django.core.mail.message import sanitize_address

from campaign.storage_places import (
    CONTROL,
    FORMS,
    FolderPlace,
    place_of,
    require_no_system_folder,
    require_plain_path,
    require_possible_path,
)

T = TypeVar("T")
TRUE, FALSE = ("yes", "on", "true", "1"), ("no", "off", "false", "0")
UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
BYTES = re.compile(r"([0-9]+) ?(?:([KMGT]?)B?|([KMGT])iB)", re.IGNORECASE)
LARGEST = 2**63 - 1
HOST = r"(?a:(?!\S*?\.\.)[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:.]+\])"
"""A name with other letters is given as browsers send it, as xn--mnchen-3ya.example."""
UNSEEN = re.compile(rf"{CONTROL.pattern}|[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Also what changes the direction of the letters around it."""
MAIL_ADDRESS = r"[^@<>\s]+@[A-Za-z0-9][\w.-]*"
PORT = r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
WITHOUT_SECRETS = re.compile(r"[a-z0-9+.-]{2,12}://[^\s@?#:\[\]]*(?::[0-9]{1,5})?(?:/[^\s@?#:\[\]]*)?", re.IGNORECASE)


class WrongOptionError(ValueError):
    """Of an address, behind its “?”; the text says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Reader(Generic[T]):
    """`read` raises ValueError for what it does not take; `takes` is the remedy, with an example."""

    read: Callable[[str], T]
    takes: str
    shown: Callable[[str], str] = repr


def whole_number(least: int, most: int) -> Reader[int]:
    def read(given: str) -> int:
        if not re.fullmatch("[0-9]+", given):
            raise ValueError
        return _between(least, int(given), most)

    return Reader(read, f"Give a whole number from {least} to {most}.")


def size(least: int) -> Reader[int]:
    def read(given: str) -> int:
        found = BYTES.fullmatch(given)
        if not found:
            raise ValueError
        return _between(least, int(found[1]) * UNITS[(found[2] or found[3] or "").upper()], LARGEST)

    return Reader(read, f"Give a number of bytes, at least {least}, such as 256M or 4G (powers of 1024).")


def choice(*words: str) -> Reader[str]:
    known = {word.lower(): word for word in words}
    return Reader(lambda given: _known(known, given.lower()), f"Give {', '.join(words[:-1])} or {words[-1]}.")


def address(*with_host: str, without_host: tuple[str, ...] = (), example: str) -> Reader[str]:
    """An address with one of these schemes. Only one of Redis with TLS takes options."""

    def read(given: str) -> str:
        found = _split(given)
        _require_known(options_of(given), OF_TLS if found.scheme == "rediss" else {})
        if found.scheme == "files" and (found.netloc.lower(), found.path.strip("/")) != ("localhost", ""):
            raise WrongOptionError("A queue in files lies in RUNPOOL_DATA_DIR, and its address is files://localhost.")
        if found.scheme in with_host and _is_host(found.hostname or "") and _has_sound_path(found):
            return _with_small_scheme(given)
        return _with_small_scheme(given) if found.scheme in without_host else _refuse()

    return Reader(read, f"Give an address such as {example}.", _address_shown)


def _split(given: str) -> SplitResult:
    found = urlsplit(given)
    if "://" not in given or re.search(r"\s", given) or found.port == 0:
        raise ValueError
    return found


_FILE = r"/\S+"
OF_TLS = {"ssl_cert_reqs": "required|optional|none", "ssl_ca_certs": _FILE, "ssl_certfile": _FILE, "ssl_keyfile": _FILE}
"""Options, each with the pattern of its values."""


def options_of(address: str) -> dict[str, str]:
    """What stands behind the “?” of an address, by name. Raises WrongOptionError if it cannot be read."""
    query = urlsplit(address).query
    try:
        found = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError as problem:
        raise WrongOptionError("Behind its “?” stand options as name=value, with “&” between them.") from problem
    if len(options := dict(found)) < len(found):
        raise WrongOptionError("One of its options stands there twice.")
    return options


def _require_known(given: dict[str, str], known: Mapping[str, str]) -> None:
    """Libraries drop unknown options in silence, or break off at them when the site already runs."""
    if not given.keys() <= known.keys():
        takes = f"Behind its “?” it takes only {', '.join(known)}." if known else "It takes no options behind a “?”."
        raise WrongOptionError(takes)
    for option, value in given.items():
        if not re.fullmatch(known[option], value):
            takes = "an absolute path" if known[option] == _FILE else known[option].replace("|", " or ")
            raise WrongOptionError(f"Its option {option} takes {takes}.")


def _with_small_scheme(given: str) -> str:
    """So that everybody may ask what an address begins with."""
    scheme, separator, rest = given.partition("://")
    return f"{scheme.lower()}{separator}{rest}"


def _has_sound_path(found: SplitResult) -> bool:
    """The path of an address of Redis is the number of a database."""
    return not found.scheme.startswith("redis") or bool(re.fullmatch("(/[0-9]*)?", found.path))


def _is_host(name: str) -> bool:
    return bool(re.fullmatch(f"{HOST}|[0-9a-f]*:[0-9a-f:.]*", name))


def _database(given: str) -> str:
    """PostgreSQL by host, or by the folder of its socket; SQLite by an absolute path: its processes share no memory."""
    found = _split(given)
    if (
        options_of(given) and found.scheme == "sqlite"
    ):  # those of PostgreSQL are compared with its library's (checks.py)
        raise WrongOptionError("It takes no options behind a “?”.")
    given = _with_small_scheme(given)
    is_absolute = found.path.startswith("//") and len(found.path) > 2
    if found.scheme == "sqlite" and is_absolute:
        require_possible_path(Path(found.path[1:]))
        return given
    if found.scheme not in ("postgres", "postgresql") or not re.search(r"\w", found.path):
        raise ValueError
    host = found.hostname or ""
    return given if _is_host(host) or host.lower().startswith("%2f") or (not host and is_absolute) else _refuse()


def _address_shown(given: str) -> str:
    """The address if nothing in it can be a password or a key, else its scheme."""
    if WITHOUT_SECRETS.fullmatch(given):
        return repr(given)
    scheme, separator, _ = given.partition("://")
    return (
        repr(f"{scheme}://…")
        if separator and scheme.isalnum()
        else "no address (it is not shown here: it may be a secret)"
    )


def _hosts_shown(given: str) -> str:
    return _address_shown(given) if "@" in given else repr(given)


def _between(least: int, number: int, most: int) -> int:
    return number if least <= number <= most else _refuse()


def _known(known: dict[str, T], word: str) -> T:
    if word not in known:
        raise ValueError
    return known[word]


def _folder(given: str) -> Path:
    if not given.startswith("/"):
        raise ValueError
    require_plain_path(Path(given))  # files lie below it, at an address of their own
    try:
        folder = Path(given).resolve()
    except (OSError, RuntimeError) as problem:  # a link on the way that must not be followed, or leads to itself
        raise ValueError(f"{given} cannot be looked at") from problem
    require_no_system_folder(folder)
    return folder


def _line(most: int) -> Callable[[str], str]:
    return lambda given: given if len(given) <= most and not UNSEEN.search(given) else _refuse()


def _list(pattern: str) -> Callable[[str], list[str]]:
    """Texts between commas, each of which the pattern describes."""

    def read(given: str) -> list[str]:
        found = [part.strip() for part in given.split(",") if part.strip()]
        if not found or not all(re.fullmatch(pattern, part) for part in found):
            raise ValueError
        return found

    return read


def _matching(pattern: str) -> Callable[[str], str]:
    return lambda given: given if re.fullmatch(pattern, given) else _refuse()


def _mail_address(given: str) -> str:
    """As the sender of a mail: what Django cannot put there would fail with every mail."""
    address = _matching(rf"{MAIL_ADDRESS}|[^@<>]+ <{MAIL_ADDRESS}>")(given)
    sanitize_address(address, "utf-8")
    return _refuse() if UNSEEN.search(address) else address


def _storage(given: str) -> str:
    place = place_of(given)
    if isinstance(place, FolderPlace):
        require_no_system_folder(place.path.resolve())
    return _with_small_scheme(given)


def _refuse() -> Never:
    raise ValueError


boolean = Reader(
    lambda given: _known({**dict.fromkeys(TRUE, True), **dict.fromkeys(FALSE, False)}, given.lower()),
    "Give yes or no; on, true and 1, or off, false and 0, mean the same.",
)
text = Reader(str, "Give a text.")
token = Reader(
    _matching("[!-~]{32,}"),
    "Give at least 32 letters, digits and signs of ASCII, without spaces: who guesses it reads what it opens.",
    lambda given: "no token",
)
name = Reader(_line(80), "Give a name of at most 80 characters on one line, without invisible ones.")
folder = Reader(_folder, f"Give an absolute path, such as {Path.cwd() / 'data'}.")
host_names = Reader(
    _list(rf"\*|\.?{HOST}"),
    "Give names of hosts without https:// and port, comma-separated, such as runs.example.org,www.example.org.",
    _hosts_shown,
)
hosts_and_ports = Reader(
    lambda given: frozenset(host.lower() for host in _list(f"(?:{HOST}){PORT}")(given)),
    "Give names of hosts without https://, comma-separated, such as corpus.example.org.",
    _hosts_shown,
)
origins = Reader(
    _list(rf"https?://(?:\*\.)?(?:{HOST}){PORT}"),
    "Give origins, comma-separated, such as https://runs.example.org.",
    _hosts_shown,
)
site = Reader(
    _matching(rf"https?://(?:{HOST}){PORT}(?:/[\w-][\w.-]*)*/?"),
    "Give an address such as https://runs.example.org.",
    _address_shown,
)
endpoint = Reader(
    _matching(rf"https?://(?:{HOST}){PORT}/?"),
    "Give the address of a host, such as https://files.example.org.",
    _address_shown,
)
mail_address = Reader(
    _mail_address,
    'Give a mail address, such as runs@example.org; with a name as "Runs, Ltd" <runs@example.org>.',
)
database = Reader(
    _database,
    "Give postgres://user:password@host/database, or sqlite:////absolute/path/of/a/file with four slashes.",
    _address_shown,
)
storage = Reader(_storage, FORMS, _address_shown)
