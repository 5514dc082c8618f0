from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import OrganiserQuestion
from campaign.news.forms import AnswerForm, QuestionForm
from campaign.news.selectors.questions import CLOSED, as_read, caution, questions_of
from campaign.news.services import questions as services
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from campaign.text.numbers import whole_number
from campaign.web.forms import act_and_tell, is_done

QUESTIONS_ON_A_PAGE = 20


@require_safe
def question_list(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task = get_task_or_404(request.user, campaign_slug, task_slug)
    rows, number = questions_of(request.user, task), request.GET.get("page")
    named = whole_number(request.GET.get("question", ""))
    if number is None and named is not None:  # as links of mails name it: the page that shows it
        number = str(1 + rows.filter(pk__gt=named).count() // QUESTIONS_ON_A_PAGE)
    page = Paginator(rows, QUESTIONS_ON_A_PAGE).get_page(number)
    context = {
        "task": task,
        "page": page,
        "questions": [as_read(request.user, question) for question in page],
        "organises": is_organiser(request.user, task.campaign),
    }
    return render(request, "campaign/news/question_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_ask(request: HttpRequest, campaign_slug: str, task_slug: str) -> HttpResponse:
    task, actor = get_task_or_404(request.user, campaign_slug, task_slug), signed_in(request.user)
    form = QuestionForm(request.POST or None)
    if is_done(form, lambda: services.question_ask(actor=actor, task=task, **form.cleaned_data)):
        messages.success(request, "Your question is sent to the organisers.")
        return redirect(task.url("question_list"))
    context = {"task": task, "form": form, "why_not": CLOSED if task.campaign.closed_at else ""}
    return render(request, "campaign/news/question_ask.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_answer(request: HttpRequest, campaign_slug: str, task_slug: str, question_id: int) -> HttpResponse:
    task, actor = get_organised_task_or_404(request.user, campaign_slug, task_slug), signed_in(request.user)
    question = get_or_404(questions_of(actor, task), pk=question_id)
    form = AnswerForm(request.POST or None, question=question)
    if is_done(form, lambda: services.question_answer(actor=actor, question=question, **form.answer())):
        messages.success(request, "The answer is sent.")
        return redirect(question)
    if services.ANSWERED_MEANWHILE in form.non_field_errors():  # the page that comes back shows that answer
        form.data = {**request.POST.dict(), "seen": len(question.answers.all())}
    context: dict[str, Any] = {"task": task, "form": form, "read": as_read(actor, question)}
    context["caution"] = caution(question)
    return render(request, "campaign/news/question_answer.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def question_withdraw(request: HttpRequest, campaign_slug: str, task_slug: str, question_id: int) -> HttpResponse:
    task, actor = get_task_or_404(request.user, campaign_slug, task_slug), signed_in(request.user)
    own = OrganiserQuestion.objects.filter(task=task, asked_by=actor).select_related("task__campaign")
    question = get_or_404(own, pk=question_id)
    if request.method == "POST":
        done = "Your question is withdrawn."
        act_and_tell(request, lambda: services.question_withdraw(actor=actor, question=question), done)
        return redirect(task.url("question_list"))
    if why_not := services.why_not_withdrawn(question):
        messages.warning(request, why_not)
        return redirect(question)
    consequences = ["The question is deleted. Mails that told the organisers of it cannot be taken back."]
    context = {"task": task, "consequences": consequences, "back_url": task.url("question_list")}
    return render(request, "campaign/news/question_withdraw.html", context)
