from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware
from django.views.decorators.http import require_POST, require_safe

from campaign.accounts.services.accounts import news_see
from campaign.collection.selectors.corrections import errata_of
from campaign.models import Campaign, JudgedBefore, Registration, Role, Task, Team, User, Visitor
from campaign.news.selectors.calendar import milestones_of
from campaign.news.selectors.notices import latest_notices
from campaign.permissions import Reader, get_campaign_or_404, get_task_or_404, may_found_campaigns, signed_in
from campaign.setup.selectors.lifecycle import has_deleted
from campaign.setup.selectors.rounds import next_rounds
from campaign.teams.selectors.team_table import state_counts
from campaign.teams.selectors.teams import own_registrations
from campaign.text import limits
from evaluation.selectors.campaign_boards import newest_boards, published_boards
from evaluation.selectors.restored import restoration_of
from evaluation.selectors.results import results_to_read
from runpool.overview.glossary import GLOSSARY
from runpool.overview.selectors.campaigns import (
    CampaignEntry,
    CampaignFilter,
    campaign_entries,
    campaigns_found,
    newest_published_task,
)
from runpool.overview.selectors.home import NextStep, next_steps_of
from runpool.overview.selectors.rounds import rounds_of
from runpool.overview.selectors.search import MOST_WORDS, search_site, words_of
from runpool.overview.selectors.task import task_overview
from runpool.overview.selectors.whats_new import MOST_TOLD, TOLD_FOR, Entry, new_count, whats_new
from runpool.overview.todo import next_steps

CAMPAIGNS_ON_A_PAGE = 25
STEPS_AT_FIRST = 20
NEW_AT_HOME = 3


class CampaignFilterForm(forms.Form):
    search = forms.CharField(required=False, max_length=100, widget=forms.SearchInput)
    state = forms.ChoiceField(required=False, choices=[("", "any"), *((state, state) for state in CampaignEntry.TONES)])
    own = forms.BooleanField(required=False, label="mine only")

    @property
    def wanted(self) -> CampaignFilter:
        """The valid filters; invalid ones in the address are ignored."""
        self.is_valid()
        return CampaignFilter(**self.cleaned_data)

    def campaigns(self, user: Visitor) -> "QuerySet[Campaign]":
        return campaigns_found(user, self.wanted)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user, takes_part = request.user, False
    form = CampaignFilterForm(request.GET)
    page = Paginator(form.campaigns(user), CAMPAIGNS_ON_A_PAGE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "form": form,
        "page": page,
        "entries": campaign_entries(user, cast("QuerySet[Campaign]", page.object_list)),
        "published": newest_published_task(user),
        "founds": may_found_campaigns(user),
    }
    if user.is_authenticated:
        steps = next_steps_of(user)
        context["todos"] = steps if request.GET.get("steps") == "all" else steps[:STEPS_AT_FIRST]
        context["more_steps"] = len(steps) - len(context["todos"])
        context["has_deleted"] = has_deleted(user)
        roles = set(Role.objects.filter(user=user).values_list("role", flat=True))
        context["judges"] = Role.ASSESSOR in roles
        context["founds_first"] = Role.ORGANISER in roles or not page.paginator.count
        takes_part = bool(roles) or Team.objects.of(user).exists()
        context["news"] = _news_beside(user, steps) if takes_part else []
    if not takes_part and page.number == 1 and not form.wanted.narrows:
        context["boards"] = newest_boards(user)
        only_newcomer = all(todo.step.url == reverse("team_list") for todo in context.get("todos", ()))
        context["boards_first"] = user.is_authenticated and only_newcomer and bool(context["boards"])
    return render(request, "runpool/overview/home.html", context)


def _news_beside(user: User, steps: list[NextStep]) -> list[Entry]:
    """What the person has not seen, without what the next steps say."""
    said = {step.step.url for step in steps}
    return [entry for entry in whats_new(user) if entry.is_new and entry.url.partition("#")[0] not in said][
        :NEW_AT_HOME
    ]


@login_required
@require_safe
def whats_new_list(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    entries = whats_new(user)
    results = {todo.step.url: todo.in_words for todo in results_to_read(user)}
    context = {
        "entries": [(entry, results.get(entry.url, "")) for entry in entries],
        "newest": entries[0] if entries else None,
        "has_new": any(entry.is_new for entry in entries),
        "most": MOST_TOLD,
        "days": TOLD_FOR.days,
    }
    return render(request, "runpool/overview/whats_new.html", context)


@require_safe
def whats_new_count(request: HttpRequest) -> HttpResponse:
    """For the bell of a page that is there already; nothing where there is nothing to say."""
    count = new_count(request.user) if request.user.is_authenticated else ""
    if not count:
        return HttpResponse(status=204)
    return render(request, "runpool/overview/_new_count.html", {"count": count})


@login_required
@require_POST
def whats_new_seen(request: HttpRequest) -> HttpResponse:
    """`until`: the newest entry that the person has in front of them, so that what came since stays new."""
    try:
        until = parse_datetime(request.POST.get("until", ""))
    except ValueError:
        until = None
    if until is None or not is_aware(until):
        messages.error(request, "Nothing is marked: the form did not say up to when. Load this page again.")
        return redirect("whats_new")
    news_see(actor=signed_in(request.user), until=until)
    return redirect("home" if request.POST.get("back") == "home" else "whats_new")


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").strip()[: limits.SEARCH]
    groups, left_out = search_site(request.user, query), words_of(query)[MOST_WORDS:]
    context = {"query": query, "groups": groups, "most_words": MOST_WORDS, "left_out": left_out}
    return render(request, "runpool/overview/search.html", context)


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    return render(request, "runpool/overview/glossary.html", {"subjects": GLOSSARY})


@require_safe
def campaign_detail(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    tasks = list(Task.objects.visible_to(request.user).filter(campaign=campaign).select_related("campaign"))
    reader = Reader.of(request.user, campaign)
    steps = next_steps(reader, tasks)
    context = {
        "campaign": campaign,
        "tasks": tasks,
        "rows": [(task, steps[task.pk]) for task in tasks],
        "boards": published_boards(request.user, tasks),
        "has_steps": any(steps.values()),
        "team_count": campaign.registrations.approved().count(),
        "waiting_count": state_counts(campaign)[Registration.REQUESTED],
        "organises": reader.organises,
        "assesses": reader.assesses,
        "takes_teams": campaign.opened_at is not None and campaign.closed_at is None,
        "register_url": reverse("campaign_register", kwargs={"campaign_slug": campaign.slug}),
        "asked": own_registrations(request.user, campaign),
        "milestones": milestones_of(campaign),
        "restored": restoration_of(campaign),
        "news": latest_notices(request.user, campaign),
    }
    return render(request, "runpool/overview/campaign_detail.html", context)


@require_safe
def campaign_rounds(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_campaign_or_404(request.user, campaign_slug)
    context = {"campaign": campaign, "groups": rounds_of(request.user, campaign)}
    return render(request, "runpool/overview/rounds.html", context)


@require_safe
def task_detail(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    overview = task_overview(request.user, task)
    context = {"task": task, "overview": overview, "errata": errata_of(task).count(), **_rounds_beside(request, task)}
    return render(request, "runpool/overview/task_detail.html", context)


def _rounds_beside(request: HttpRequest, task: Task) -> dict[str, Any]:
    """The rounds before and after this one that the reader sees, and what this one leaves out."""
    visible, is_residual = (
        Task.objects.visible_to(request.user).select_related("campaign"),
        task.round_kind == Task.RESIDUAL,
    )
    return {
        "round_before": visible.filter(next_rounds=task).first() if task.follows_id else None,
        "rounds_after": next_rounds(request.user, task),
        "judged_before": JudgedBefore.objects.filter(task=task).first() if is_residual else None,
    }
