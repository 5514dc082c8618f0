"""Whom to ask about a campaign, where it is found elsewhere, and its logo."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction

from campaign.formats.picture_heads import SUFFIXES, picture_head
from campaign.log.audit import apply_changes, audit
from campaign.models import Campaign, User
from campaign.permissions import locked_organised_campaign_or_404
from campaign.storage import FileTooLargeError, store
from campaign.web.daily_limits import require_few_changes

LOGO_BYTES, LOGO_SIDE = 512 << 10, 2000
KINDS = "Choose a PNG, JPEG or WebP picture. SVG is not taken, since it can hold programs."


@transaction.atomic
def campaign_describe(
    *, actor: User, campaign: Campaign, logo: "File[bytes] | None" = None, removes_logo: bool = False, **fields: Any
) -> Campaign:
    """Change contact, website, links, or the logo and its text; a logo stays where none is given."""
    locked = locked_organised_campaign_or_404(actor, campaign, with_key=True)
    if logo is not None:
        fields["logo"] = _stored(logo)
    elif removes_logo:
        fields |= {"logo": "", "logo_text": ""}
    changes = apply_changes(locked, fields)
    if locked.logo and not locked.logo_text.strip():
        raise ValidationError({"logo_text": "Say in a few words what the logo shows, for people who do not see it."})
    if changes:
        locked.full_clean()
        locked.save()
        audit(actor, "update", locked, campaign=locked, **changes)
        require_few_changes(actor)
    return locked


def _stored(logo: "File[bytes]") -> str:
    """The name of the file: the picture as it was sent, if its head says what it is, under limits of bytes and sides."""
    head = picture_head(logo.read(256 << 10))
    logo.seek(0)
    if head is None:
        raise ValidationError({"logo": KINDS})
    if not 16 <= min(head.width, head.height) <= max(head.width, head.height) <= LOGO_SIDE:
        size = f"{head.width:,} by {head.height:,}"
        raise ValidationError({"logo": f"Each side must have 16 to {LOGO_SIDE:,} pixels; this picture has {size}."})
    try:
        return store(logo, folder="logos", suffix=SUFFIXES[head.content_type], limit=LOGO_BYTES).name
    except FileTooLargeError as problem:
        raise ValidationError({"logo": f"Choose a picture of at most {LOGO_BYTES >> 10} kB."}) from problem
