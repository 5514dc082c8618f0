from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.accounts.forms.account import AccountForm
from campaign.accounts.services.accounts import account_update
from campaign.permissions import signed_in


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account_settings(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    form = AccountForm(request.POST) if request.method == "POST" else AccountForm.of(user)
    if form.is_valid():
        account_update(actor=user, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("account_settings")
    return render(request, "account/settings.html", {"form": form}, status=422 if form.errors else 200)
