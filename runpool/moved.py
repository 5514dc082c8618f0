"""Addresses that pages had before, each with the one that it has now."""

import re

MOVED = (
    (r"^(/c/.+?/scores/|/c/.+?/leaderboard/\d+/)of/", r"\1runs/"),
    (r"^(/c/.+?/scores/)as/", r"\1preview/"),
    (r"^(/c/.+?/scores/)without(/|\.csv)", r"\1removed-topics\2"),
    (r"^(/c/.+?/(?:scores|scores/preview/\w+|leaderboard/\d+)/)heat/", r"\1heatmap/"),
    (r"^(/c/.+?/(?:scores|scores/preview/\w+|leaderboard/\d+)/)trust(/|\.json)", r"\1reliability\2"),
    (r"^(/c/.+?/scores/preview/\w+/)of/", r"\1runs/"),
    (r"^(/c/.+?/pools/\d+/)worth/", r"\1completeness/"),
    (r"^(/c/.+?/judging/assign/)topics/", r"\1grid/"),
    (r"^(/c/[^/]+/[^/]+/)runs-again/$", r"\1resubmit-runs/"),
    (r"^/account/mails/off/", r"/account/emails/unsubscribe/"),
    (r"^/deleted/$", r"/trash/"),
    (r"^/api/v1/deleted(?=/|$)", r"/api/v1/trash"),
)


def new_address(path: str) -> str:
    """The address that the page has now; an empty string where it never moved.

    >>> new_address("/c/velo/climbs/leaderboard/2/heat/")
    '/c/velo/climbs/leaderboard/2/heatmap/'
    >>> new_address("/c/velo/climbs/topics/")
    ''
    """
    found = path
    for old, new in MOVED:
        found = re.sub(old, new, found)
    return found if found != path else ""
