"""News of a campaign: the list, one notice, and writing one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from campaign.accounts.selectors import reply_address
from campaign.models import Campaign, Notice, Task
from campaign.news.forms import AudienceForm, NoticeForm
from campaign.news.selectors.notices import mail_counts, notices_of
from campaign.news.selectors.recipients import Audience, mailed, people
from campaign.news.services.notices import notice_body, notice_write
from campaign.permissions import get_campaign_or_404, get_or_404, get_organised_campaign_or_404, is_organiser, signed_in
from campaign.text.plurals import number_of
from campaign.web.forms import result_of

NOTICES_ON_A_PAGE = 20


@require_safe
def news_list(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    tasks = Task.objects.visible_to(request.user).filter(campaign=campaign).order_by("pk")
    task = tasks.filter(slug=request.GET.get("task", "")).first()
    notices = notices_of(request.user, campaign, task)
    context = {
        "campaign": campaign,
        "tasks": tasks,
        "task": task,
        "page": Paginator(notices, NOTICES_ON_A_PAGE).get_page(request.GET.get("page")),
        "organises": is_organiser(request.user, campaign),
    }
    return render(request, "campaign/news/news_list.html", context)


@require_safe
def notice_detail(request: HttpRequest, campaign_slug: str, notice_id: int) -> HttpResponse:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    notice = get_or_404(notices_of(request.user, campaign), pk=notice_id)
    context: dict[str, Any] = {"campaign": campaign, "notice": notice}
    if is_organiser(request.user, campaign):
        context |= {"organises": True, "counts": mail_counts(notice), "teams": notice.teams.all()}
    return render(request, "campaign/news/notice_detail.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notice_create(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """Write a notice, look at its mail and at how many get it, send it."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    author = signed_in(request.user)
    form = NoticeForm(request.POST or None, campaign=campaign, initial={"task": request.GET.get("task")})
    sent = _written(request, form) if form.is_valid() and "send" in request.POST else None
    if sent is not None:
        messages.success(request, f"Published. {number_of(sent.people, 'person,people')} get it by mail.")
        return redirect(sent)
    context: dict[str, Any] = {"campaign": campaign, "form": form, "replies_to": reply_address(author)}
    if form.is_valid() and "edit" not in request.POST:
        context |= _preview(form, form.meant(author))
    return render(request, "campaign/news/notice_create.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def notice_recipients(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """How many people an audience has: what the form shows while one chooses."""
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    form = AudienceForm(request.GET or {"audience": Notice.EVERYBODY}, campaign=campaign)
    context = _counted(form.meant(signed_in(request.user))) if form.is_valid() else {}
    return render(request, "campaign/news/_recipients.html", context)


def _written(request: HttpRequest, form: NoticeForm) -> Notice | None:
    author, data = signed_in(request.user), form.cleaned_data
    written = {"title": data["subject"], "body": data["text"], "batch": data["batch"]}
    return result_of(form, lambda: notice_write(actor=author, audience=form.meant(author), **written))


def _preview(form: NoticeForm, meant: Audience) -> dict[str, Any]:
    data = form.cleaned_data
    written = {"title": data["subject"], "body": data["text"], "written_by": meant.but, "written_at": timezone.now()}
    notice = Notice(campaign=meant.campaign, task=meant.task, audience=meant.name, kind=meant.kind, **written)
    letter = notice_body(notice, "(the address of the notice)")
    return {"preview": notice, "letter": letter, **_counted(meant)}


def _counted(meant: Audience) -> dict[str, Any]:
    by_mail, everybody = len(mailed(meant)), people(meant).count()
    return {
        "meant": meant,
        "by_mail": by_mail,
        "without_mail": everybody - by_mail,
        "is_draft": _is_draft(meant.campaign),
    }


def _is_draft(campaign: Campaign) -> bool:
    return campaign.opened_at is None
