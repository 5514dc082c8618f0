from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.permissions import get_organised_campaign_or_404
from campaign.setup.forms.log import LogFilterForm
from campaign.setup.log_words import actor_of, deed_of, details_of, log_csv
from campaign.setup.selectors.log import events_of, page_before, with_names


@login_required
@require_safe
def campaign_log(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = LogFilterForm(request.GET or None, campaign=campaign)
    wanted = form.wanted if form.is_bound else None
    before = form.cleaned_data.get("before") if form.is_bound else None
    page, older = page_before(events_of(campaign, wanted), before)
    rows = [
        {"event": one, "who": actor_of(one), "did": deed_of(one, name), "details": details_of(one)}
        for one, name in with_names(page)
    ]
    context = {
        "campaign": campaign,
        "form": form,
        "rows": rows,
        "older": older,
        "before": before,
        "narrows": wanted is not None and wanted.narrows,
    }
    return render(request, "campaign/setup/campaign_log.html", context)


@login_required
@require_safe
def campaign_log_csv(request: HttpRequest, campaign_slug: str) -> StreamingHttpResponse:
    """The whole log with the filters of the page, made while it is sent."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = LogFilterForm(request.GET or None, campaign=campaign)
    events = events_of(campaign, form.wanted if form.is_bound else None)
    headers = {"Content-Disposition": f'attachment; filename="{campaign.slug}-log.csv"', "X-Accel-Buffering": "no"}
    lines = log_csv(with_names(events.iterator(chunk_size=1000)))
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
