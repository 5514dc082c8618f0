from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from campaign.accounts.forms.tokens import TokenForm
from campaign.accounts.selectors import own_tokens
from campaign.accounts.services.tokens import token_create
from campaign.accounts.services.tokens import token_revoke as revoke
from campaign.permissions import get_token_or_404, signed_in
from campaign.web.forms import result_of
from campaign.web.links import absolute


@never_cache
@sensitive_variables("text", "made")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    form, text = TokenForm(request.POST or None), ""
    if form.is_valid():
        values = {"name": form.cleaned_data["name"], "scope": form.cleaned_data["scope"]}
        if made := result_of(form, lambda: token_create(actor=user, expires_at=form.expires_at, **values)):
            form, text = TokenForm(), made[1]
    # The text is in this answer alone: it is not stored, so there is no page to redirect to that could show it.
    context = {"form": form, "text": text, "tokens": own_tokens(user), "now": timezone.now(), "site": absolute("")}
    return render(request, "account/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def token_revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    user = signed_in(request.user)
    token = get_token_or_404(user, token_id)
    if request.method == "POST":
        revoke(actor=user, token=token)
        messages.success(request, f"The token {token.name} is revoked.")
        return redirect("token_list")
    consequences = [
        "Every script that uses it is refused from now on.",
        "What was submitted with it stays as it is.",
        "It cannot be made to work again; you can make another one.",
    ]
    return render(request, "account/token_revoke.html", {"token": token, "consequences": consequences})
