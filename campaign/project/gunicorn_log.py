"""Gunicorn's own lines in the form of all others: `gunicorn --logger-class campaign.project.gunicorn_log.SiteLogger`."""

import logging
from typing import Any

from gunicorn.glogging import Logger

from campaign.logs.lines import formatter_named
from campaign.project import env


class SiteLogger(Logger):  # type: ignore[misc]
    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        formatter: logging.Formatter = formatter_named(env.log_format())
        for handler in self.error_log.handlers:
            handler.setFormatter(formatter)
