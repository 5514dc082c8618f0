"""How a service that speaks S3 is asked, and what its silence and its refusals mean."""

import hashlib
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings

from campaign.storage.interface import StorageAwayError, StorageRefusedError
from campaign.storage_places import BucketPlace

ASKED_PATIENTLY = Config(
    connect_timeout=3,
    read_timeout=15,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=50,
    signature_version="s3v4",  # else addresses of one region are signed in the old way, which most services do not know
    # Not every service knows the newer checksums; what is read is compared with its SHA-256 anyhow.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
ASKED_ONCE = ASKED_PATIENTLY.merge(Config(read_timeout=5, retries={"total_max_attempts": 1}))
"""At the start, which waits for nobody."""
PASSING = frozenset({"RequestTimeTooSkewed", "RequestTimeout", "SlowDown", "TooManyRequests", "OperationAborted"})
"""Codes of refusals that end by themselves, as that of a clock which is put right after the start."""
TRIED = "tries"
"""The folder of what `refused_rights` stores for a moment."""
REFUSED = {
    "InvalidAccessKeyId": "It does not know the key of AWS_ACCESS_KEY_ID.",
    "SignatureDoesNotMatch": "AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID.",
    "InvalidToken": "AWS_SESSION_TOKEN is wrong.",
    "ExpiredToken": "AWS_SESSION_TOKEN has expired.",
    "AccessDenied": "The keys may not do this. They need to list, read, write and delete.",
    "403": "It refuses the keys, or they may not do this. They need to list, read, write and delete.",
    "NoSuchBucket": "There is no such bucket.",
    "404": "There is no such bucket.",
    "PermanentRedirect": "It lies elsewhere. Name its region in RUNPOOL_STORAGE_URL.",
    "301": "It lies elsewhere. Name its region in RUNPOOL_STORAGE_URL.",
    "RequestTimeTooSkewed": "The clock of this machine is wrong.",
}
"""What the codes of refusals mean to operators."""
_clients: dict[tuple[int, BucketPlace], Any] = {}
_making = threading.Lock()


def client_of(place: BucketPlace) -> Any:
    """One for all threads of a process, and none that a parent had before it forked."""
    key = (os.getpid(), place)
    with _making:
        if key not in _clients:
            _clients[key] = _new_client(place)
        return _clients[key]


def _new_client(place: BucketPlace, config: Config = ASKED_PATIENTLY) -> Any:
    # A name of its own for each bucket is what Amazon asks for; other services all know the bucket in the path.
    style: Any = {"addressing_style": "path" if place.endpoint else "auto"}
    session = boto3.Session(
        aws_access_key_id=settings.AWS_ACCESS_KEY_ID,
        aws_secret_access_key=settings.AWS_SECRET_ACCESS_KEY,
        aws_session_token=settings.AWS_SESSION_TOKEN or None,
        region_name=place.region or "us-east-1",
    )
    return session.client("s3", endpoint_url=place.endpoint or None, config=config.merge(Config(s3=style)))


@contextmanager
def answering(place: BucketPlace, name: str = "") -> Iterator[None]:
    """Raise FileNotFoundError if the bucket says that it has no file of this name, StorageAwayError for all else."""
    try:
        yield
    except ClientError as problem:
        if not (name and _is_not_there(problem)):
            raise _not_done(place, problem) from problem
        if not _is_named(problem):
            require_bucket(place)  # the answer to HEAD does not tell a missing file from a missing bucket
        raise FileNotFoundError(f"There is no stored file {name}.") from problem
    except (BotoCoreError, Boto3Error) as problem:
        cause = problem.__context__
        if isinstance(cause, ClientError):
            raise _not_done(place, cause) from problem
        raise StorageAwayError(_silence(place, problem)) from problem


def require_bucket(place: BucketPlace) -> None:
    """Raise StorageAwayError where the bucket is not there, does not answer or refuses the keys."""
    with answering(place):
        client_of(place).list_objects_v2(Bucket=place.bucket, Prefix=place.prefix, MaxKeys=1)


def refused_rights(place: BucketPlace) -> list[str]:
    """What the bucket refuses of what the site needs, in sentences, by a small file; StorageAwayError where it is away."""
    content = secrets.token_bytes(32)
    sha256 = hashlib.sha256(content).hexdigest()
    name = f"{TRIED}/{sha256[:2]}/{sha256}"  # as of files by content: the daily cleaning finds what is left
    listing = {"Bucket": place.bucket, "Prefix": place.prefix, "MaxKeys": 1}
    at = {"Bucket": place.bucket, "Key": f"{place.prefix}/{name}".lstrip("/")}
    client = _new_client(place, ASKED_ONCE)
    found = [
        _refused(place, "list", "s3:ListBucket", lambda: client.list_objects_v2(**listing)),
        # Before anything is stored: it could not be taken away again.
        _refused(place, "delete", "s3:DeleteObject", lambda: client.delete_object(**at)),
    ]
    if not found[-1]:
        found.append(_refused(place, "write", "s3:PutObject", lambda: client.put_object(**at, Body=content)))
        if not found[-1]:
            found.append(_refused(place, "read", "s3:GetObject", lambda: client.get_object(**at)["Body"].read()))
            _refused(place, "delete", "s3:DeleteObject", lambda: client.delete_object(**at))
    return [sentence for sentence in found if sentence]


def _refused(place: BucketPlace, what: str, right: str, ask: Callable[[], object]) -> str:
    """A sentence if it is refused."""
    try:
        with answering(place, TRIED):
            ask()
    except FileNotFoundError:  # as some services answer who deletes what is not there
        return ""
    except StorageRefusedError as problem:
        return f"This site may not {what} files there ({right}): {problem.reason}"
    return ""


def _not_done(place: BucketPlace, problem: ClientError) -> StorageAwayError:
    status = problem.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    is_refusal = 300 <= status < 500 and status not in (408, 429) and _code(problem) not in PASSING
    return (StorageRefusedError if is_refusal else StorageAwayError)(_refusal(place, problem))


def _is_not_there(problem: ClientError) -> bool:
    return _code(problem) in ("NoSuchKey", "404")


def _is_named(problem: ClientError) -> bool:
    return _code(problem) == "NoSuchKey"


def _code(problem: ClientError) -> str:
    return str(problem.response.get("Error", {}).get("Code", ""))


def _refusal(place: BucketPlace, problem: ClientError) -> str:
    code = re.sub(r"[^A-Za-z0-9]", "", _code(problem))[:60]
    return f"{place} refuses ({code}). {REFUSED.get(code, 'Look into the log of the service.')}"


def _silence(place: BucketPlace, problem: Exception) -> str:
    return f"{place} does not answer ({type(problem).__name__}). See that it runs and can be reached from this machine."
