"""What the pages have in common on which a text is corrected."""

from collections.abc import Callable, Sequence

from django.core.exceptions import ValidationError
from django.db.models import Model

from campaign.collection.forms import CorrectionForm, Entry
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.log.audit import last_editor
from campaign.web.forms import add_errors

Stored = Callable[[], tuple[Sequence[Entry], str]]
"""Reads the texts as they are now, and their SHA-256."""


def is_saved(form: CorrectionForm, save: Callable[..., object], stored: Stored, on: Model) -> bool:
    """Save what a valid form holds by a service; where somebody else was faster or it is refused, the form says so."""
    try:
        save(**form.why())
    except ChangedMeanwhileError:
        entries, seen = stored()
        form.meet(entries, seen, last_editor(on))
        return False
    except ValidationError as problem:
        add_errors(form, problem)
        return False
    return True


def status_of_correction(form: CorrectionForm) -> int:
    if form.met:
        return 409
    return 422 if form.errors else 200
