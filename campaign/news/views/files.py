"""The feed and the calendar, which programs read again and again, and the list of mails."""

from collections.abc import Iterable

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response, set_response_etag
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from campaign.formats.icalendar import calendar_lines
from campaign.news.exports import feed_xml, mails_csv
from campaign.news.selectors.calendar import calendar_of
from campaign.news.selectors.notices import mails_of, notices_of, public_notices, with_states
from campaign.permissions import get_campaign_or_404, get_or_404, get_organised_campaign_or_404
from campaign.text.numbers import whole_number

MAILS_ON_A_PAGE = 100


@require_safe
def news_feed(request: HttpRequest, campaign_slug: str) -> HttpResponseBase:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    notices = public_notices(campaign)
    changed_at = (notices[0].written_at if notices else campaign.created_at).timestamp()
    response = HttpResponse(feed_xml(campaign, notices), content_type="application/atom+xml; charset=utf-8")
    return _unless_unchanged(request, response, int(changed_at))


@require_safe
def campaign_calendar(request: HttpRequest, campaign_slug: str) -> HttpResponseBase:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    lines = calendar_lines(str(campaign), calendar_of(request.user, campaign))
    headers = {"Content-Disposition": f'attachment; filename="{campaign.slug}.ics"'}
    response = HttpResponse("".join(lines), content_type="text/calendar; charset=utf-8", headers=headers)
    return _unless_unchanged(request, response)


@login_required
@require_safe
def mail_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    asked = whole_number(request.GET.get("notice", ""))
    notice = notices_of(request.user, campaign).filter(pk=asked).first() if asked is not None else None
    page = Paginator(mails_of(campaign, notice), MAILS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "notice": notice, "page": page, "rows": with_states(page.object_list)}
    return render(request, "campaign/news/mail_list.html", context)


@login_required
@require_safe
def mail_csv(request: HttpRequest, campaign_slug: str) -> StreamingHttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    asked = whole_number(request.GET.get("notice", ""))
    notice = None if asked is None else get_or_404(notices_of(request.user, campaign), pk=asked)
    lines: Iterable[str] = mails_csv(mails_of(campaign, notice).iterator(chunk_size=1000))
    headers = {"Content-Disposition": f'attachment; filename="{campaign.slug}-mails.csv"'}
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def _unless_unchanged(request: HttpRequest, response: HttpResponse, changed_at: int | None = None) -> HttpResponseBase:
    """The answer with its ETag (and Last-Modified, where it has one), or 304 for a reader that holds it."""
    set_response_etag(response)
    if changed_at is not None:
        response["Last-Modified"] = http_date(changed_at)
    response["Cache-Control"] = "no-cache"
    answer = get_conditional_response(request, response["ETag"], changed_at, response)
    return answer if answer is not None else response
