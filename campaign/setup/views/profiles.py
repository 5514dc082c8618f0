from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from campaign.formats.picture_heads import SUFFIXES
from campaign.permissions import get_campaign_or_404, get_organised_campaign_or_404, signed_in
from campaign.setup.forms.profiles import ProfileForm
from campaign.setup.services.profiles import campaign_describe
from campaign.storage.reading import verified_bytes
from campaign.web.forms import result_of, status_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def campaign_profile(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    campaign = get_organised_campaign_or_404(request.user, campaign_slug)
    posted = (request.POST, request.FILES) if request.method == "POST" else ()
    form = ProfileForm(*posted, instance=get_organised_campaign_or_404(request.user, campaign_slug))
    if changed := result_of(
        form, lambda: campaign_describe(actor=signed_in(request.user), campaign=campaign, **form.cleaned_data)
    ):
        messages.success(request, "Saved.")
        return redirect(changed)
    context = {"form": form, "campaign": campaign}
    return render(request, "campaign/setup/campaign_profile.html", context, status=status_of(form))


@require_safe
def campaign_logo(request: HttpRequest, campaign_slug: str) -> HttpResponse:
    """The picture with the type that was found in it; the site's headers forbid browsers to guess another."""
    campaign = get_campaign_or_404(request.user, campaign_slug)
    types = {suffix: content_type for content_type, suffix in SUFFIXES.items()}
    name = campaign.logo.name or ""
    content_type = types.get(f".{name.rpartition('.')[2]}")
    if content_type is None:
        raise Http404
    content = verified_bytes(name, found_by="a page with the logo of a campaign")
    return HttpResponse(content, content_type=content_type, headers={"Content-Disposition": "inline"})
