"""Notices as an Atom feed, the dates as a calendar file, the list of mails as CSV."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from campaign.formats.spreadsheet import csv_lines
from campaign.models import Campaign, Mail, Notice
from campaign.news.selectors.notices import with_states
from campaign.web.links import absolute
from campaign.web.rendered_markdown import prose_html

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAILS_AT_ONCE = 1000


class _Feed(Atom1Feed):
    def __init__(self, *args: Any, empty_at: datetime, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._empty_at = empty_at

    def latest_post_date(self) -> datetime:
        """Unlike Django's, not now where there is no entry: the same feed is the same bytes."""
        return super().latest_post_date() if self.items else self._empty_at


def feed_xml(campaign: Campaign, notices: Iterable[Notice]) -> str:
    """The feed of public notices; the identifiers of its entries stay the same wherever the site moves."""
    slug = {"campaign_slug": campaign.slug}
    feed = _Feed(
        title=_legal(f"{campaign}: news"),
        link=absolute(reverse("news_list", kwargs=slug)),
        description=_legal(campaign.summary),
        feed_url=absolute(reverse("news_feed", kwargs=slug)),
        language="en",
        empty_at=campaign.created_at,
    )
    for notice in notices:
        html = prose_html(notice.body)
        feed.add_item(
            title=_legal(notice.title),
            link=absolute(notice.get_absolute_url()),
            description=_legal(html or ""),
            unique_id=f"urn:uuid:{notice.batch}",
            author_name=_legal(str(notice.author or campaign)),
            pubdate=notice.written_at,
            updateddate=notice.written_at,
        )
    return feed.writeString("utf-8")


def mails_csv(mails: Iterable[Mail]) -> Iterator[str]:
    """The list of mails, one a line, without their texts."""
    head = ["written_at", "sent_at", "state", "user", "address", "about", "subject", "problem"]
    return csv_lines(head, _rows(mails))


def _rows(mails: Iterable[Mail]) -> Iterator[list[object]]:
    part: list[Mail] = []
    for mail in mails:
        part.append(mail)
        if len(part) == MAILS_AT_ONCE:
            yield from _cells(part)
            part = []
    yield from _cells(part)


def _cells(part: list[Mail]) -> Iterator[list[object]]:
    for row in with_states(part):
        mail, sent_at = row.mail, row.mail.sent_at or ""
        user = mail.recipient.username if mail.recipient else ""
        yield [_iso(mail.created_at), _iso(sent_at), row.state, user, mail.address, mail.kind, mail.subject, row.why]


def _iso(at: datetime | str) -> str:
    return at.isoformat(timespec="seconds") if isinstance(at, datetime) else at


def _legal(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return NOT_IN_XML.sub("", text)
