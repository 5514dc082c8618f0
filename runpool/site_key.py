"""Whether this process has the key (RUNPOOL_SECRET_KEY) of the site: its database keeps a fingerprint since the first start.

With different keys, one machine signs out whom the other one signed in, and neither takes the links of the other's mails.
"""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.crypto import constant_time_compare, salted_hmac

from campaign.database import clock
from campaign.models import SiteFigures
from runpool import env
from runpool.postgresql import PATIENCE_SECONDS

FINGERPRINT = "fingerprint"
TABLE = SiteFigures._meta.db_table


def fingerprint() -> str:
    """Of the key of this process; nobody gets from it to the key."""
    return salted_hmac("runpool.site_key", FINGERPRINT, secret=settings.SECRET_KEY, algorithm="sha256").hexdigest()


def check_key(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Nothing where the database keeps no fingerprint yet, or is away."""
    kept = _kept()
    if not kept or constant_time_compare(kept, fingerprint()):
        return []
    name = "RUNPOOL_SECRET_KEY" if env.SECRET_KEY else f"The file {env.DATA_DIR / 'secret-key'}"
    text = f"{name} is not the key with which this site was started before."
    hint = (
        "All machines of a site have one key: copy RUNPOOL_SECRET_KEY, or where it is not set the file secret-key in "
        "RUNPOOL_DATA_DIR, from the machine where the site runs. If the key was changed on purpose, run "
        "“manage.py accept_secret_key” once."
    )
    return [Error(text, hint=hint, id="runpool.E022")]


def keep_first() -> None:
    """By the first start of a site; what is kept stays. A database that takes no rows now gets it by a later start."""
    try:
        with _own_connection() as own, own.cursor() as cursor:
            cursor.execute(
                f'INSERT INTO {TABLE} (name, at, "values") VALUES (%s, CURRENT_TIMESTAMP, %s) ON CONFLICT DO NOTHING',  # noqa: S608
                [SiteFigures.KEY, json.dumps({FINGERPRINT: fingerprint()})],
            )
    except DatabaseError:
        return


def accept() -> None:
    values = {FINGERPRINT: fingerprint()}
    SiteFigures.objects.update_or_create(name=SiteFigures.KEY, defaults={"at": clock.now(), "values": values})


def _kept() -> str:
    try:
        with _own_connection() as own, own.cursor() as cursor:
            cursor.execute(f'SELECT "values" FROM {TABLE} WHERE name = %s', [SiteFigures.KEY])  # noqa: S608
            found = cursor.fetchone()
    except DatabaseError:
        return ""
    return str(json.loads(found[0]).get(FINGERPRINT, "")) if found else ""


@contextmanager
def _own_connection() -> Iterator[BaseDatabaseWrapper]:
    """Closed before the process forks, outside the pool, and not waited for."""
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    options = {**own.settings_dict["OPTIONS"]}
    if own.vendor == "postgresql":
        options |= {"pool": False, "connect_timeout": PATIENCE_SECONDS}
    elif not Path(own.settings_dict["NAME"]).is_file():  # it would be made
        raise DatabaseError("There is no database yet.")
    own.settings_dict = {**own.settings_dict, "OPTIONS": options}
    with closing(own):
        yield own
