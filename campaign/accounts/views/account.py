from allauth.account.views import SignupView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.accounts.forms.account import AccountForm, MailChoicesForm
from campaign.accounts.services.accounts import account_update
from campaign.mail.choices import choices_of, choices_set, meant_by
from campaign.models import MailChoice
from campaign.models.mail import KINDS
from campaign.permissions import signed_in
from campaign.web.forms import is_done


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account_settings(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    form = AccountForm.of(user, request.POST if request.method == "POST" else None)
    if is_done(form, lambda: account_update(actor=user, **form.cleaned_data)):
        messages.success(request, "Saved.")
        return redirect("account_settings")
    return render(request, "account/settings.html", {"form": form}, status=422 if form.errors else 200)


class SignUp(SignupView):  # type: ignore[misc]  # allauth has no types
    http_method_names = ["get", "head", "options", "post"]

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Where somebody else took the user name since the form was checked, it is refused as to those who come later."""
        try:
            answer: HttpResponse = super().form_valid(form)
        except ValidationError as problem:
            form.add_error("username", problem)
            answer = self.form_invalid(form)
        return answer


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def mail_settings(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    form = MailChoicesForm(request.POST) if request.method == "POST" else MailChoicesForm(initial=choices_of(user))
    if is_done(form, lambda: choices_set(actor=user, choices=form.cleaned_data)):
        messages.success(request, "Saved.")
        return redirect("mail_settings")
    return render(request, "account/mails.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mail_off(request: HttpRequest, key: str) -> HttpResponse:
    """Works without signing in: the signed key names the person and the kind. Programs that follow links change nothing."""
    meant = meant_by(key)
    if meant is None:
        raise Http404
    user, kind = meant
    if request.method == "POST":
        choices_set(actor=user, choices={kind: MailChoice.OFF})
    context = {"about": KINDS[kind], "is_off": choices_of(user)[kind] == MailChoice.OFF}
    return render(request, "account/mail_off.html", context)
