"""What RUNPOOL_STORAGE_URL names: a folder of this machine, or a bucket of a service that speaks S3."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlsplit

OF_DOTS = re.compile("[.…]+")
"""Also of an address that was copied and not filled in."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
ESCAPED = re.compile("%[0-9a-fA-F]{2}")
LONGEST_PATH, LONGEST_PART = 3000, 255
"""Bytes; names of stored files follow the path."""
BUCKET_NAME = re.compile(r"(?!.*\.\.)(?![0-9.]+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
"""An address of four numbers is none."""
SYSTEM_FOLDERS = {
    Path("/", name)
    for name in (
        "",
        *("bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root", "run", "sbin", "srv"),
        *("sys", "tmp", "usr", "usr/bin", "usr/lib", "usr/local", "usr/share", "var"),
        *("var/cache", "var/lib", "var/log", "var/run", "var/tmp", "dev/shm", "run/lock", "run/user", "run/shm"),
        *("var/backups", "var/local", "var/lock", "var/mail", "var/opt", "var/spool", "var/www"),
    )
}  # fmt: skip
SYSTEM_TREES = tuple(
    Path("/", name)
    for name in (
        *("bin", "boot", "lib", "lib64", "proc", "sbin", "sys"),
        *(
            "usr/bin",
            "usr/games",
            "usr/include",
            "usr/lib",
            "usr/lib64",
            "usr/libexec",
            "usr/sbin",
            "usr/share",
            "usr/src",
        ),
    )
)
"""Nothing below belongs to a site either."""


FORMS = "Give it as file:///an/absolute/path or as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1."
NO_KEYS_HERE = (
    "Take it out: keys are read from the environment alone, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. "
    "If others have seen the address, give the bucket new keys."
)


class WrongPlaceError(ValueError):
    """The address names no place. Neither text repeats it: there may be a key in it."""

    def __init__(self, problem: str, remedy: str = FORMS) -> None:
        super().__init__(f"{problem} {remedy}")


@dataclass(frozen=True, slots=True)
class FolderPlace:
    path: Path


@dataclass(frozen=True, slots=True)
class BucketPlace:
    """`prefix`: what the names of all files begin with, without a slash at its ends. `endpoint`: empty for Amazon's."""

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""

    def __str__(self) -> str:
        where = f" at {self.endpoint}" if self.endpoint else ""
        return f"the bucket {self.bucket}{where}"


def require_no_system_folder(path: Path) -> None:
    """A site takes its folders from all other users at each start, and these belong to all programs of the machine."""
    if path in SYSTEM_FOLDERS or any(path.is_relative_to(tree) for tree in SYSTEM_TREES):
        raise WrongPlaceError(
            f"{path} belongs to the whole machine.", "Name a folder of the site's own, such as /srv/runpool/data."
        )


def require_possible_path(path: Path) -> None:
    """Refuse what no file system takes, or what nobody reads in a message as it is."""
    if CONTROL.search(str(path)):
        raise WrongPlaceError("Its path holds a control character.", "Name a folder of letters that can be seen.")
    if len(os.fsencode(path)) > LONGEST_PATH or any(len(os.fsencode(part)) > LONGEST_PART for part in path.parts):
        raise WrongPlaceError("Its path is too long for a file system.", "Name a folder with a shorter path.")


def require_plain_path(path: Path) -> None:
    """Refuse also what stands for another character in an address."""
    if ESCAPED.search(str(path)):
        raise WrongPlaceError("Its path is taken as it stands, and % with two digits means no other character.")
    require_possible_path(path)


def place_of(url: str) -> FolderPlace | BucketPlace:
    """The place that an address such as RUNPOOL_STORAGE_URL names; WrongPlaceError if it names none."""
    try:
        found = urlsplit(url)
    except ValueError as problem:
        raise WrongPlaceError("It cannot be read as an address.") from problem
    if found.scheme == "s3":
        return _bucket(found)
    if found.scheme == "file":
        return _folder(found)
    raise WrongPlaceError("It is neither a folder nor a bucket.")


def place_named(text: str) -> FolderPlace | BucketPlace:
    """The place that an argument of a command names: an address, or the path of a folder."""
    if not text.strip():
        raise WrongPlaceError("The name of the place is empty.", "Name a folder, or a bucket as s3://bucket/prefix.")
    return place_of(text) if "://" in text else FolderPlace(Path(text).resolve())


def _folder(found: SplitResult) -> FolderPlace:
    if found.netloc or not found.path.startswith("/") or found.query or found.fragment:
        raise WrongPlaceError(
            "It names no absolute path: three slashes follow file:, and neither ? nor # stands in it."
        )
    if any(OF_DOTS.fullmatch(part) for part in found.path.split("/")):
        raise WrongPlaceError("Its path has a part that is made of dots.")
    path = Path(found.path)
    require_plain_path(path)
    return FolderPlace(path)


def _bucket(found: SplitResult) -> BucketPlace:
    _require_no_keys(found)
    if not BUCKET_NAME.fullmatch(found.netloc):
        raise WrongPlaceError("It names no bucket: 3 to 63 small letters, digits, dots and hyphens.")
    prefix = found.path.strip("/")
    if any(not part or OF_DOTS.fullmatch(part) for part in prefix.split("/")) and prefix:
        raise WrongPlaceError("Its prefix has a part that is empty or made of dots.")
    given = parse_qsl(found.query, keep_blank_values=True)
    options = dict(given)
    if len(options) < len(given) or options.keys() - {"endpoint", "region"} or found.fragment:
        raise WrongPlaceError("It has an option besides endpoint and region, or one of them twice.")
    endpoint = options.get("endpoint", "")
    region = options.get("region", "")
    if "endpoint" in options:
        _require_endpoint(endpoint)
    if "region" in options and not re.fullmatch(r"[\w-]+", region):
        raise WrongPlaceError("Its region is not filled in, or holds more than letters, digits and hyphens.")
    return BucketPlace(found.netloc, prefix, endpoint.rstrip("/"), region)


def _require_endpoint(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint)
        is_known = (
            parts.scheme in ("http", "https") and bool(re.search(r"\w", parts.hostname or "")) and parts.port != 0
        )
    except ValueError as problem:
        raise WrongPlaceError("Its endpoint cannot be read as an address.") from problem
    _require_no_keys(parts)
    if not is_known or parts.query or parts.fragment:
        raise WrongPlaceError("Its endpoint is no address that begins with https:// or http://.")


def _require_no_keys(parts: SplitResult) -> None:
    if "@" in parts.netloc or re.search(r"key|secret|token|password", parts.query, re.IGNORECASE):
        raise WrongPlaceError("It holds a user name or a key.", NO_KEYS_HERE)
