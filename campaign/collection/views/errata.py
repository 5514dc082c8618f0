from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from campaign.collection.selectors.corrections import errata_of
from campaign.collection.selectors.documents import may_read_documents
from campaign.collection.selectors.errata import errata_shown
from campaign.permissions import get_task_or_404, is_organiser
from campaign.web.forms import numbers_in

PAGE = 20
LARGEST = 2**31 - 1


@require_safe
def errata(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    """The newest first; `?upto=3`: from erratum 3 back, for links to one of many."""
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    found, upto = errata_of(task).select_related("by"), numbers_in([request.GET.get("upto", "")])
    page = Paginator(found.filter(number__lte=min(upto[0], LARGEST)) if upto else found, PAGE).get_page(
        request.GET.get("page")
    )
    organises = is_organiser(request.user, task.campaign)
    reads = may_read_documents(request.user, task.campaign)
    shown = errata_shown(task, page, reads_documents=reads, organises=organises)
    context = {"task": task, "page": page, "errata": shown, "organises": organises, "upto": upto}
    return render(request, "campaign/collection/errata.html", context)
