from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import User
from campaign.permissions import get_or_404, signed_in
from campaign.storage.downloads import download_answer, sign_in_first
from campaign.storage.quarantine import DamagedFileError
from campaign.web.forms import act_and_tell, is_done
from runpool.account_data.parts import Hindrance
from runpool.account_data.selectors import available_days, export_under_way, exports_of, hindrances
from runpool.account_data.services.deletion import user_delete
from runpool.account_data.services.exports import export_request

SHOWN = 10


class DeleteAccountForm(forms.Form):
    """The password where the account has one; `release` only where something is to be given back."""

    password = forms.CharField(
        label="Your password",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text="This keeps others from deleting your account at a screen that you left open.",
    )
    release = forms.BooleanField(label="Give back what I still hold, as listed above", required=False)

    def __init__(self, *args: Any, user: User, in_the_way: list[Hindrance], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user
        if not any(one.is_released for one in in_the_way):
            del self.fields["release"]

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if not self._user.check_password(password):
            raise forms.ValidationError("This is not your password. Nothing was deleted.")
        return password


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def data_exports(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    if request.method == "POST":
        act_and_tell(request, lambda: export_request(actor=user), "The copy of your data is being made.")
        return redirect("data_exports")
    context = {"exports": exports_of(user)[:SHOWN], "days": available_days(), "is_making": export_under_way(user)}
    return render(request, "account/data.html", context)


@never_cache
@require_safe
def data_export_download(request: HttpRequest, export_id: int) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return sign_in_first(request, "data_exports")
    user = signed_in(request.user)
    export = get_or_404(exports_of(user), pk=export_id)
    if not export.file:
        raise Http404("This copy is not made yet, or its file was removed.")
    try:
        return download_answer(
            request, str(export.file), filename=f"my-data-{export.pk}.zip", content_type="application/zip",
            found_by="a download of personal data",
        )  # fmt: skip
    except DamagedFileError as problem:
        messages.error(request, str(problem))
        return redirect("data_exports")


@never_cache
@sensitive_post_parameters("password")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account_delete(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    in_the_way = hindrances(user)
    form = DeleteAccountForm(request.POST or None, user=user, in_the_way=in_the_way)
    if is_done(form, lambda: user_delete(actor=user, user=user, release=form.cleaned_data.get("release", False))):
        logout(request)
        messages.success(request, "Your account is deleted. A mail confirms it.")
        return redirect("home")
    context = {
        "form": form,
        "must": [one for one in in_the_way if not one.is_released],
        "released": [one for one in in_the_way if one.is_released],
    }
    return render(request, "account/delete.html", context, status=422 if form.errors else 200)
