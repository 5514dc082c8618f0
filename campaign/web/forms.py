from collections.abc import Callable, Iterable
from datetime import date, datetime, tzinfo
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.forms import BaseForm
from django.http import HttpRequest
from django.utils import timezone

from campaign.formats.moments import MomentError, in_zone, read_day, read_moment
from campaign.models.fields import day_problem, zone_named
from campaign.storage import FileTooLargeError
from campaign.storage.room import NO_ROOM_CODE
from campaign.text.numbers import whole_number

Result = TypeVar("Result")
EMPTY_FILE = "The file is empty. Choose the right one and send it again."


def numbers_in(asked: Iterable[str]) -> list[int]:
    """The primary keys among what an address names; whatever can be none is left out."""
    return [number for number in map(whole_number, asked) if number is not None]


def add_errors(form: BaseForm, problem: ValidationError) -> None:
    """Add the errors of a service to the fields that they name; errors of other fields go to the top of the form."""
    if not hasattr(problem, "error_dict"):
        form.add_error(None, problem)
        return
    for name, errors in problem.error_dict.items():
        form.add_error(name if name in form.fields else None, errors)


def status_of(form: BaseForm) -> int:
    """The status of a page that shows this form, with whatever was refused."""
    if any(form.has_error(name, code=NO_ROOM_CODE) for name in form.errors):
        return 507
    return 422 if form.errors else 200


def result_of(form: BaseForm, act: Callable[[], Result]) -> Result | None:
    """What the act of a valid form returns; None where the form or the act is refused, and the form says why."""
    if form.is_valid():
        try:
            return act()
        except ValidationError as problem:
            add_errors(form, problem)
    return None


def is_done(form: BaseForm, act: Callable[[], object]) -> bool:
    """Whether the form is valid and the act was not refused; the form says why it was."""
    return result_of(form, lambda: (act(),)) is not None


def act_and_tell(request: HttpRequest, act: Callable[[], object], message: str) -> None:
    """Act for a page that leads on to another, which shows the message, or why it was refused."""
    try:
        act()
    except ValidationError as problem:
        messages.error(request, problem.messages[0])
    else:
        messages.success(request, message)


def require_size(file: "UploadedFile[Any]", limit: int) -> None:
    """Raise ValidationError for an empty file and for one of more than `limit` bytes."""
    if not file.size:
        raise ValidationError(EMPTY_FILE)
    if file.size > limit:
        raise ValidationError(str(FileTooLargeError(limit)))


class DayField(forms.DateField):
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def to_python(self, value: Any) -> date | None:
        try:
            return None if value in self.empty_values else read_day(value)
        except MomentError as problem:
            raise ValidationError(f"{problem}.", code="invalid") from None


class ZonedDateTimeField(forms.DateTimeField):
    """A date and time in the campaign's zone, independent of the zones of server and reader."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    zone: tzinfo = zone_named("AoE")

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        try:
            moment = read_moment(value)
            if problem := day_problem(moment):
                raise ValidationError(problem)
            return in_zone(moment, self.zone)
        except MomentError as problem:
            raise ValidationError(f"{problem}.", code="invalid") from None

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value, self.zone).replace(tzinfo=None) if isinstance(value, datetime) else value

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)
