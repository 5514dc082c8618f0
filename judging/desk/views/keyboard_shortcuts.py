"""The keys that an assessor chooses for the commands of the desk."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.permissions import signed_in
from campaign.web.forms import status_of
from judging.desk.services.keyboard_shortcuts import desk_keys_update
from judging.forms import DeskKeysForm


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_keys(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    if "usual" in request.POST:
        desk_keys_update(actor=user, keys={})
        messages.success(request, "The desk has its usual keys again.")
        return redirect("desk_keys")
    form = DeskKeysForm(request.POST if request.method == "POST" else None, own=user.desk_keys)
    if form.is_valid():
        desk_keys_update(actor=user, keys=form.own())
        messages.success(request, "Saved. A desk that is open takes the keys when it is loaded again.")
        return redirect("desk_keys")
    return render(request, "judging/desk_keys.html", {"form": form}, status=status_of(form))
