"""System checks (`manage.py check`) of settings that would harm a site."""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from campaign.project import env
from campaign.project.private import open_to_others
from campaign.project.storage_places import BucketPlace, WrongPlaceError, place_of
from campaign.storage.interface import StorageAwayError, files

SHORTEST_SECRET, FEWEST_CHARACTERS = 50, 5
FOUNDERS = ("everybody", "staff")


def check_settings(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    return [*_secure(), *_addresses(), *_places(), *_choices(), *_traces()]


def check_deployment(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """What `manage.py check --deploy` refuses besides."""
    messages: list[CheckMessage] = []
    if len(env.SECRET_KEY) < SHORTEST_SECRET or len(set(env.SECRET_KEY)) < FEWEST_CHARACTERS:
        hint = "Set SECRET_KEY to at least 50 random characters, the same on every server: who guesses it is anybody."
        messages.append(Error("SECRET_KEY is not set, or too short, or too simple.", hint=hint, id="runpool.E007"))
    if any(host.strip() in {"*", "."} for host in env.ALLOWED_HOSTS):
        hint = "List the names of the site in ALLOWED_HOSTS, comma-separated."
        messages.append(Error("ALLOWED_HOSTS allows every host name.", hint=hint, id="runpool.E008"))
    if env.STORAGE_URL.startswith("s3:") and not _storage()[0]:
        messages += _silent_bucket()
    return messages


def _silent_bucket() -> list[CheckMessage]:
    """The one check that asks another machine."""
    try:
        files().require_answer()
    except StorageAwayError as problem:
        hint = "See docs/guide/operator/object-storage.md, which lists what the keys must be allowed."
        return [Error(f"The storage of files cannot be used: {problem.reason}", hint=hint, id="runpool.E011")]
    return []


def _secure() -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    if env.SECURE and env.DEBUG:
        hint = "Switch DEBUG off: its error pages show settings and file contents to everybody."
        messages.append(Error("SECURE and DEBUG are on together.", hint=hint, id="runpool.E002"))
    if env.SECURE and not env.EMAIL_URL:
        hint = "Set EMAIL_URL; until then mails (password resets, say) are written to files and nobody receives them."
        messages.append(Warning("SECURE is on, but EMAIL_URL is not set.", hint=hint, id="runpool.W001"))
    return messages


def _addresses() -> list[CheckMessage]:
    """The site's address and sender, which appear in mails and receipts."""
    messages: list[CheckMessage] = []
    if env.SECURE and not env.SITE_URL.startswith("https://"):
        hint = "Set SITE_URL to the address that people type, such as https://runs.example.org: mails lead there."
        messages.append(Warning(f"SECURE is on, but SITE_URL is {env.SITE_URL}.", hint=hint, id="runpool.W002"))
    if env.SECURE and env.EMAIL_URL and env.MAIL_FROM.endswith("@localhost"):
        hint = "Set MAIL_FROM to an address of your own domain; other servers refuse mail from localhost."
        messages.append(Warning(f"SECURE is on, but MAIL_FROM is {env.MAIL_FROM}.", hint=hint, id="runpool.W003"))
    return messages


def _traces() -> list[CheckMessage]:
    if not env.TRACES:
        return []
    try:
        import_module("campaign.traces.sdk")
    except ModuleNotFoundError:
        hint = "Install requirements/traces.txt, or the wheel as runpool-….whl[traces]; or take the variable away."
        text = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed."
        return [Error(text, hint=hint, id="runpool.E012")]
    return []


def _choices() -> list[CheckMessage]:
    if env.FOUNDERS in FOUNDERS:
        return []
    hint = (
        "everybody: who has an account creates campaigns; staff: superusers and whom `manage.py change_user` allows it."
    )
    return [Error(f"FOUNDERS is {env.FOUNDERS!r}, not everybody or staff.", hint=hint, id="runpool.E009")]


def _places() -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    if not _is_writable(env.DATA_DIR):
        hint = "Give the user that runs the site write permission there, or set DATA_DIR to another folder."
        messages.append(Error(f"The data folder {env.DATA_DIR} cannot be written.", hint=hint, id="runpool.E003"))
    found, folders = _storage()
    messages += found
    messages += [_open(folder) for folder in (env.DATA_DIR, *folders) if open_to_others(folder)]
    if env.UPLOAD_LIMIT_BYTES <= 0:
        messages.append(Error("UPLOAD_LIMIT_BYTES must be above 0.", hint="256 MiB is the default.", id="runpool.E006"))
    return messages


def _storage() -> tuple[list[CheckMessage], list[Path]]:
    """What is wrong with STORAGE_URL, which is never shown itself, as there may be a key in it; and its folder, if it is one."""
    try:
        place = place_of(env.STORAGE_URL)
    except WrongPlaceError as problem:
        return [Error(f"STORAGE_URL cannot be used. {problem.problem}", hint=problem.remedy, id="runpool.E004")], []
    if isinstance(place, BucketPlace):
        if env.AWS_ACCESS_KEY_ID and env.AWS_SECRET_ACCESS_KEY:
            return [], []
        hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for web servers, workers and commands alike."
        return [Error("STORAGE_URL names a bucket, but there are no keys for it.", hint=hint, id="runpool.E010")], []
    if _is_writable(place.path):
        return [], [place.path]
    hint = "Give the user that runs the site write permission there, or set STORAGE_URL to another folder."
    problem_found = Error(f"The storage folder {place.path} cannot be written.", hint=hint, id="runpool.E005")
    return [problem_found], [place.path]


def _open(folder: Path) -> CheckMessage:
    hint = f"Give it to the user that runs the site and take it from all others: chmod 700 {folder}"
    return Warning(f"Other users of this machine can look into {folder}.", hint=hint, id="runpool.W010")


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in the folder, or the folder itself can be created."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
