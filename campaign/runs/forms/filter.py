from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import Exists, F, OrderBy, OuterRef, Q, QuerySet
from django.db.models.functions import Collate

from campaign.models import Run, RunProblem, Task, Team, Visitor
from campaign.runs.selectors.lists import SHOWN_STATES, in_shown_state, listed_runs, occurring_codes
from campaign.text import limits
from campaign.text.collation import by_numbers

NONE, ERRORS, WARNINGS, BY_HAND, ALL = "none", "errors", "warnings", "any", "all"
NARROWING = ("state", "team", "kind", "problems", "decision", "priority", "search")


class RunFilterForm(forms.Form):
    """The filters and the order of the list of runs, from its address; unknown values are ignored."""

    SORTS: ClassVar[dict[str, tuple[str | Collate, ...]]] = {
        "tag": (by_numbers("tag"),),
        "team": (by_numbers("team__name"),),
        "time": ("submitted_at",),
        "priority": ("priority",),
        "topics": ("topics_answered",),
        "lines": ("lines",),
        "problems": ("error_count", "warning_count"),
    }

    state = forms.ChoiceField(required=False, choices=list(SHOWN_STATES.items()), widget=forms.HiddenInput)
    attempts = forms.ChoiceField(required=False, choices=[(ALL, "all")], widget=forms.HiddenInput)
    sort = forms.CharField(required=False, widget=forms.HiddenInput)
    search = forms.CharField(
        required=False, label="Tag or description", max_length=limits.SEARCH, widget=forms.SearchInput
    )
    team = forms.ModelChoiceField(queryset=Team.objects.none(), required=False, to_field_name="slug", empty_label="all")
    kind = forms.ChoiceField(required=False, label="Run type", choices=[("", "all"), *Run.KINDS.items()])
    problems = forms.ChoiceField(required=False)
    decision = forms.ChoiceField(
        required=False,
        label="Decided by hand",
        choices=[("", "all"), (BY_HAND, "accepted or rejected"), *Run.DECISIONS.items()],
    )
    priority = forms.IntegerField(
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(999)],
        widget=forms.NumberInput(attrs={"min": 1, "max": 999}),
    )

    def __init__(self, *args: Any, task: Task, user: Visitor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._runs = listed_runs(user, task)
        teams = Team.objects.filter(pk__in=self._runs.order_by().values("team")).order_by(by_numbers("name"))
        self.fields["team"].queryset = teams  # type: ignore[attr-defined]
        codes = [(code, code) for code in occurring_codes(user, task)]
        words = [("", "all"), (NONE, "none"), (ERRORS, "with errors"), (WARNINGS, "with warnings")]
        self.fields["problems"].choices = [*words, ("One rule", codes)] if codes else words  # type: ignore[attr-defined]
        self.full_clean()

    @property
    def narrowed_by(self) -> int:
        """The number of filters that are set."""
        return sum(self._wants(name) not in ("", None) for name in NARROWING)

    @property
    def has_all_attempts(self) -> bool:
        return bool(self._wants("attempts"))

    def runs(self) -> QuerySet[Run]:
        """Return the runs that the address asks for, in the order it asks for."""
        runs, state = self.in_any_state(), self._wants("state")
        return (in_shown_state(runs, state) if state else runs).order_by(*self.order()[1])

    def superseded(self) -> QuerySet[Run]:
        """Return the superseded runs, which the list leaves out unless they are asked for."""
        return self.with_all_attempts().filter(Q(is_superseded=True))

    def in_any_state(self) -> QuerySet[Run]:
        """Return the runs under all filters except the state."""
        runs = self.with_all_attempts()
        return runs if self.has_all_attempts else runs.filter(Q(is_superseded=False))

    def with_all_attempts(self) -> QuerySet[Run]:
        wanted = {name: self._wants(name) for name in ("team", "kind", "priority")}
        runs = self._runs.filter(**{name: value for name, value in wanted.items() if value})
        return runs.filter(self._by_search(), self._by_decision(), self._by_problems())

    def order(self) -> tuple[str, list[OrderBy | Collate | str]]:
        """Return the sort as written in the address and as columns of the database; newest first by default."""
        sort = self._wants("sort") or ""
        if sort.removeprefix("-") not in self.SORTS:
            sort = "-time"
        columns = self.SORTS[sort.removeprefix("-")]
        return sort, [
            *(_ordered(column, descending=sort.startswith("-")) for column in columns),
            *(by_numbers("tag"), "tag", "-attempt"),
        ]

    def in_words(self) -> str:
        """The filters in words, for readers of an exported file."""
        filters = [f"{name}: {value}" for name in NARROWING if (value := self._wants(name)) not in ("", None)]
        attempts = "all attempts" if self.has_all_attempts else "the newest attempt of each tag and what counts"
        return ", ".join([attempts, *filters])

    def _by_search(self) -> Q:
        words = self._wants("search")
        return Q(tag__icontains=words) | Q(description__icontains=words) if words else Q()

    def _by_decision(self) -> Q:
        decision = self._wants("decision")
        if decision == BY_HAND:
            return ~Q(decision="")
        return Q(decision=decision) if decision else Q()

    def _by_problems(self) -> Q:
        problems = self._wants("problems")
        if not problems:
            return Q()
        conditions = {
            NONE: Q(error_count=0, warning_count=0) & ~Q(state=Run.RECEIVED),
            ERRORS: Q(error_count__gt=0),
            WARNINGS: Q(warning_count__gt=0),
        }
        by_code = RunProblem.objects.filter(run=OuterRef("pk"), code=problems)
        return conditions[problems] if problems in conditions else Q(Exists(by_code))

    def _wants(self, name: str) -> Any:
        return self.cleaned_data.get(name, "")


def _ordered(column: str | Collate, *, descending: bool) -> OrderBy:
    """Order by a column, with unknown values last in either direction."""
    key = F(column) if isinstance(column, str) else column
    return key.desc(nulls_last=True) if descending else key.asc(nulls_last=True)
