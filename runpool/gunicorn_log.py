"""Gunicorn's own lines in the form of all others: `gunicorn --logger-class runpool.gunicorn_log.SiteLogger`."""

import logging
from typing import Any

from gunicorn.glogging import Logger

from campaign.log.lines import LONGEST_REASON, formatter_named
from runpool import env


class SiteLogger(Logger):  # type: ignore[misc]
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        formatter: logging.Formatter = formatter_named(env.LOG_FORMAT)
        for handler in self.error_log.handlers:
            handler.setFormatter(formatter)

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """A header that gunicorn refuses stands whole in its reason."""
        reason = str(msg % args if args else msg)
        cut = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..."
        super().warning("%s", cut, **kwargs)
