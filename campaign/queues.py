"""The queues of jobs: what is slow or much must not hold up what is quick. A worker without `-Q` takes from all of them."""

GENERAL = "celery"
"""Celery's own name."""
LARGE, SCORE, REPORTS, MAIL, SWEEP = "large", "score", "reports", "mail", "sweep"
ALL = (GENERAL, LARGE, SCORE, REPORTS, MAIL, SWEEP)
"""`celery`: checks of small files and what a page waits for; `large`: checks and imports of large files; `score`: scoring;
`reports`: what takes minutes and much memory; `mail` and `sweep`: what must never stand behind the others."""

LARGE_BYTES = 16 * 1024**2
"""About 700,000 lines of a run, or half a second of checking: from here on a file stands behind others of its kind."""


def queue_for_file(size: int | None) -> str:
    return LARGE if size is not None and size >= LARGE_BYTES else GENERAL
