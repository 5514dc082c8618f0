"""Searching the collection for further documents of a topic, from the desk and from the pool: one page for both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.collection.search.stored import UnreadableIndexError
from campaign.collection.selectors.search import Hits, document_named, ready_index, search_texts
from campaign.collection.services.search_index import search_index_remove, texts_index_request
from campaign.models import Collection, Job, Task, Topic, User
from campaign.permissions import get_or_404, get_organised_task_or_404, signed_in
from campaign.storage.quarantine import DamagedFileError
from campaign.web.forms import status_of
from judging.desk.selectors.document_search import results
from judging.desk.selectors.page import desk_url
from judging.desk.services.added_documents import document_found, document_found_at_the_desk
from judging.forms import AddForm, FindForm
from judging.models import Assignment
from judging.permissions import get_own_assignment_or_404, require_assessor
from pooling.models import Pool, PoolEntry, Search
from pooling.permissions import get_pool_or_404
from pooling.services.added_documents import search_log


@dataclass(frozen=True, slots=True)
class Finder:
    """Who searches for which topic: an assessor for an assignment, or an organiser for the pool."""

    user: User
    pool: Pool
    topic: Topic
    url: str
    add: Callable[[str], PoolEntry]
    own: Assignment | None = None

    @property
    def task(self) -> Task:
        return self.pool.task

    def searching(self, query: str) -> str:
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode({'query': query})}"

    def after(self, docno: str, query: str) -> str:
        """Where an added document leads: the assessor judges it, the organiser searches on."""
        return self.searching(query) if self.own is None else f"{desk_url(self.own)}&{urlencode({'docno': docno})}"


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def desk_find(request: HttpRequest, campaign_slug: str, task_slug: str, topic_number: str) -> HttpResponse:
    own = get_own_assignment_or_404(request.user, campaign_slug, task_slug, topic_number, request.GET.get("assignment"))
    require_assessor(own)
    task = own.pool.task
    if not task.assessors_add_documents:
        raise PermissionDenied("In this task only organisers add documents to the pool.")
    url = f"{task.url('desk_find', topic_number=topic_number)}?assignment={own.pk}"

    def add(docno: str) -> PoolEntry:
        return document_found_at_the_desk(assignment=own, docno=docno)

    return _answer(request, Finder(own.assessor, own.pool, own.topic, url, add, own))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def pool_find(
    request: HttpRequest, campaign_slug: str, task_slug: str, version: int, topic_number: str
) -> HttpResponse:
    task = get_organised_task_or_404(request.user, campaign_slug, task_slug)
    pool = get_pool_or_404(request.user, task, version)
    topic = get_or_404(task.topics.filter(pool_entries__pool=pool).distinct(), number=topic_number)
    user, url = signed_in(request.user), task.url("pool_find", version=version, topic_number=topic_number)

    def add(docno: str) -> PoolEntry:
        return document_found(actor=user, pool=pool, topic=topic, docno=docno)

    return _answer(request, Finder(user, pool, topic, url, add))


def _answer(request: HttpRequest, finder: Finder) -> HttpResponse:
    if request.method == "POST":
        return _add(request, finder)
    sent = {"query": request.GET.get("query", finder.topic.title[: Search.LONGEST_QUERY])}
    form = FindForm(sent)
    context: dict[str, Any] = {}
    if form.is_valid():
        try:
            context = _found(finder, form.cleaned_data["query"])
        except ValidationError as problem:
            form.add_error("query", problem)
    context |= {"finder": finder, "form": form, "task": finder.task, "topic": finder.topic, "pool": finder.pool}
    is_part = request.htmx  # type: ignore[attr-defined]
    return render(request, f"judging/{'_found' if is_part else 'find'}.html", context, status=status_of(form))


def _found(finder: Finder, query: str) -> dict[str, Any]:
    collection = finder.task.collection
    if collection is None:
        return {"collection": None}
    named = document_named(collection, query)
    hits, job = _searched(finder, collection, query)
    best = [named] if named is not None else []
    best += [hit for hit in hits.best if named is None or hit.docno != named.docno] if hits else []
    return {
        "collection": collection,
        "query": query,
        "job": job,
        "hits": hits,
        "results": results(best, finder.pool, finder.topic, finder.own),
        "again_url": finder.searching(query),
    }


def _searched(finder: Finder, collection: Collection, query: str) -> tuple[Hits | None, Job | None]:
    """What was found, or the job that indexes the texts first."""
    index = ready_index(collection)
    if index is None:
        return None, texts_index_request(collection)
    try:
        hits = search_texts(index, query)
    except DamagedFileError:  # set aside by now, so that it is made anew
        return None, texts_index_request(collection)
    except UnreadableIndexError:
        search_index_remove(index)
        return None, texts_index_request(collection)
    if query:
        search_log(actor=finder.user, pool=finder.pool, topic=finder.topic, query=query, results=hits.matching)
    return hits, None


def _add(request: HttpRequest, finder: Finder) -> HttpResponseRedirect:
    form = AddForm(request.POST)
    if "again" in request.POST and finder.task.collection is not None:
        try:
            texts_index_request(finder.task.collection, again_for=finder.user)
        except ValidationError as problem:
            messages.error(request, problem.messages[0])
        return redirect(finder.url)
    if not form.is_valid():
        messages.error(request, "Nothing was added: choose one of the results.")
        return redirect(finder.url)
    docno, query = form.cleaned_data["docno"], form.cleaned_data["query"]
    try:
        finder.add(docno)
    except ValidationError as problem:
        messages.error(request, " ".join(problem.messages))
        return redirect(finder.searching(query))
    if finder.own is None:  # the desk shows the document itself
        messages.success(request, f"Document {docno} is added to topic {finder.topic.number}.")
    return redirect(finder.after(docno, query))
