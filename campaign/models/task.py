from typing import Self

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from campaign.formats.runs.order_setting import BY_SCORE, RELEASE_9, RELEASE_10, RUN_ORDERS, Ordering
from campaign.formats.shapes import FLAG, TEXT, TEXTS, WHOLE, choice_of, list_of, object_of, or_null, record
from campaign.formats.source import lines_of
from campaign.models.campaign import Campaign, PresentManager, Role, slug_validator
from campaign.models.fields import LimitedJSONField, LimitedTextField, MomentField, Sha256Field, require_plain_lines
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from campaign.models.user import Visitor
from campaign.modes import DEFAULT_MODE, LONGEST_NAME, GradeStep, Mode, mode_choices, mode_named
from campaign.text import limits

QUESTIONS = list_of(
    record({"key": TEXT, "label": TEXT}, {"kind": TEXT, "required": FLAG, "help": TEXT, "choices": list_of(TEXT)})
)


class TaskQuerySet(KeepsStatesQuerySet["Task"]):
    def visible_to(self, user: Visitor) -> Self:
        """Tasks past their set-up in an open campaign for all; every task for those with a role in the campaign."""
        if user.is_superuser:
            return self
        visible = Q(campaign__opened_at__isnull=False) & ~Q(phase=Task.SETUP)
        if user.is_authenticated:
            visible |= Q(campaign__in=Role.objects.filter(user=user).values("campaign"))
        return self.filter(visible)


class Task(KeepsStates):
    goes_with = "campaign"

    SETUP, RUNS, POOL, JUDGING, SCORES, PUBLISHED = "setup", "runs", "pool", "judging", "scores", "published"
    PHASES = {
        SETUP: "Set-up",
        RUNS: "Runs",
        POOL: "Pool",
        JUDGING: "Judging",
        SCORES: "Scores",
        PUBLISHED: "Published",
    }
    KNOWN, ANY = "known", "any"
    DOCNO_POLICIES = {KNOWN: "must be in the collection", ANY: "anything goes (no document list)"}

    HINT, STOP = "hint", "stop"
    CONTRADICTIONS = {
        HINT: "are asked about: the same grade again saves them as they are",
        STOP: "must be resolved before the grade is saved",
    }
    TEXT, PAGE, FRAME = "text", "page", "frame"
    DISPLAYS = {
        TEXT: "text, as it is stored",
        PAGE: "sanitised page: headings, lists and tables, without pictures, styles and addresses",
        FRAME: "raw page in a frame: its own styles; no scripts, and nothing is loaded from elsewhere",
    }
    DEVELOPMENT, TEST, RESIDUAL = "development", "test", "residual"
    ROUND_KINDS = {
        DEVELOPMENT: "development: relevance judgments are known, teams tune on their scores",
        TEST: "test: blind until the leaderboard is published",
        RESIDUAL: "residual: the topics of earlier rounds, without the documents judged there",
    }
    FIRST_ROUND_KINDS = {kind: words for kind, words in ROUND_KINDS.items() if kind != "residual"}
    NOTHING, MEANS, TOPICS, LIVE = "nothing", "means", "topics", "live"
    SCORES_SHOWN = {
        NOTHING: "nothing until a leaderboard is published",
        MEANS: "to each team the means of its own runs, as soon as they are scored",
        TOPICS: "to each team the scores of its own runs by topic, as soon as they are scored",
        LIVE: "to everybody a live board of all runs",
    }
    ORGANISERS, PARTICIPANTS, ACCEPTED, EVERYBODY = "organisers", "teams", "accepted", "everybody"
    TEXTS_FOR = {
        ORGANISERS: "organisers only",
        PARTICIPANTS: "members of the teams that take part",
        ACCEPTED: "members of the teams that take part and have accepted all agreements of the campaign",
        EVERYBODY: "everybody who sees the task, without an account",
    }
    CANNOT_JUDGE_REASONS = "no text, or not readable\nin a language that I do not read\nneeds knowledge that I lack"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="tasks")
    slug = models.CharField("address", max_length=50, validators=[slug_validator])
    title = models.CharField(max_length=120)
    guidelines = LimitedTextField(
        limit=limits.MARKDOWN, blank=True, help_text="Markdown. What a run should contain, how it will be judged."
    )
    judging_mode = models.CharField(max_length=LONGEST_NAME, choices=mode_choices, default=DEFAULT_MODE)
    collection = models.ForeignKey(
        "campaign.Collection", on_delete=models.PROTECT, null=True, blank=True, related_name="tasks"
    )
    measures = LimitedJSONField(
        limit=limits.MEASURES,
        shape=TEXTS,
        default=list,
        blank=True,
        help_text="Names of the measures on the leaderboard.",
    )

    lowest_relevant_grade = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1)],
        help_text="Documents of this grade or above are relevant, for all measures that only know relevant or not.",
    )

    max_runs_per_team = models.PositiveIntegerField(default=5, validators=[MinValueValidator(1)])
    max_documents_per_topic = models.PositiveIntegerField(default=1000, validators=[MinValueValidator(1)])
    run_order = models.CharField("documents of a run ordered by", max_length=10, choices=RUN_ORDERS, default=BY_SCORE)
    reference = models.CharField(
        "reference release of trec_eval",
        max_length=10,
        choices={
            RELEASE_9: "9: scores compared in single precision, what most published numbers come from",
            RELEASE_10: "10: in double precision; recall levels rounded to the nearest document",
        },
        default=RELEASE_9,
    )
    docno_policy = models.CharField("document numbers in runs", max_length=10, choices=DOCNO_POLICIES, default=KNOWN)
    docno_pattern = models.CharField(
        "pattern of document numbers",
        max_length=200,
        blank=True,
        help_text="A regular expression for the whole docno. Empty: none.",
    )
    rule_severities = LimitedJSONField(
        limit=limits.SEVERITIES,
        shape=object_of(choice_of(["error", "warning", "off"])),
        default=dict,
        blank=True,
        help_text="Rule code to error, warning or off, where it differs from the default.",
    )
    questions = LimitedJSONField(
        limit=limits.QUESTIONS,
        shape=QUESTIONS,
        default=list,
        blank=True,
        help_text="What is asked about each run, as read_questions takes it.",
    )
    tag_pattern = models.CharField(
        "pattern of run tags",
        max_length=100,
        default=r"[A-Za-z0-9][A-Za-z0-9_.-]{0,29}",
        help_text="A regular expression.",
    )
    document_link = models.CharField(
        "link to documents elsewhere",
        max_length=500,
        blank=True,
        help_text="An address with {docno} in it, such as https://documents.example.org/{docno}: the page image, the PDF, or "
        "the document itself where its text is not in Runpool. It opens in a new tab. Empty: none.",
    )
    documents_shown_as = models.CharField(
        max_length=5,
        choices=DISPLAYS,
        default=TEXT,
        help_text="For collections whose texts are HTML. Words are marked in text and in sanitised pages, not in raw ones.",
    )
    texts_for = models.CharField(
        "texts may be downloaded by",
        max_length=10,
        choices=TEXTS_FOR,
        default=ORGANISERS,
        help_text="The whole collection in files, for who may have copies by the terms of its source. On pages, assessors and "
        "teams that take part read single documents in any case.",
    )
    assessors_add_documents = models.BooleanField(
        "assessors may add documents",
        default=True,
        help_text="They search the texts at the desk and add what they find to the pool of their topic. Organisers always may.",
    )
    contradictions = models.CharField(
        "contradictions at the desk",
        max_length=4,
        choices=CONTRADICTIONS,
        default=HINT,
        help_text="Such as the lowest grade with a subtopic ticked, or the top grade without one.",
    )
    subtopics_after_grade = models.BooleanField(
        "subtopics after the grade",
        default=False,
        help_text="A grade is then saved at once and the document stays: assessors mark the subtopics and give the grade "
        "again to go on. Otherwise they mark the subtopics first, and the grade goes on.",
    )
    passage_first = models.BooleanField(
        "show a passage of long documents first",
        default=False,
        help_text="The desk shows the passage with most words of the topic; the full text is one key away, and each judgment "
        "records which of both was read. It saves time, and favours runs that match words: what a document says in other "
        "words is easily missed.",
    )
    cannot_judge_reasons = LimitedTextField(
        "reasons why a document cannot be judged",
        limit=limits.REASONS,
        blank=True,
        default=CANNOT_JUDGE_REASONS,
        help_text="One on each line; assessors choose one with the key of “cannot judge”. Empty: they are not asked.",
    )
    opens_at = MomentField(null=True, blank=True)
    closes_at = MomentField("deadline for runs", null=True, blank=True)
    takes_runs_after_pool = models.BooleanField(
        "take runs after a pool is frozen",
        default=False,
        help_text="Freezing a pool closes the uploads otherwise, whatever the deadline. "
        "Qrels that participants can see always do.",
    )
    runs_closed_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When a frozen pool or visible qrels closed the uploads before the deadline.",
    )
    qrels_known_at = models.DateTimeField(
        null=True, editable=False, help_text="When participants could first see qrels: later runs never rank."
    )
    follows = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, editable=False, related_name="next_rounds"
    )
    round_kind = models.CharField("kind of round", max_length=11, choices=ROUND_KINDS, default=TEST)
    scores_shown = models.CharField(
        "scores shown before publication", max_length=7, choices=SCORES_SHOWN, default=NOTHING
    )
    phase = models.CharField(max_length=10, choices=PHASES, default=SETUP, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, editable=False)

    objects = PresentManager.from_queryset(TaskQuerySet)()  # type: ignore[misc, assignment]
    everything = TaskQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "slug"],
                name="task_slug_unique_in_campaign",
                violation_error_message="This campaign has a task at this address already.",
            ),
            models.CheckConstraint(
                condition=Q(opens_at__isnull=True) | Q(closes_at__isnull=True) | Q(closes_at__gt=F("opens_at")),
                name="task_closes_after_it_opens",
                violation_error_message="The deadline must be after the opening.",
            ),
            models.CheckConstraint(
                condition=Q(phase__in=["setup", "runs", "pool", "judging", "scores", "published"]),
                name="task_phase_is_known",
            ),
            models.CheckConstraint(
                condition=Q(round_kind__in=["development", "test", "residual"]), name="task_round_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(scores_shown__in=["nothing", "means", "topics", "live"]), name="task_scores_shown_is_known"
            ),
            models.CheckConstraint(
                condition=Q(texts_for__in=["organisers", "teams", "accepted", "everybody"]),
                name="task_texts_for_is_known",
            ),
            models.CheckConstraint(condition=~Q(follows=F("pk")), name="task_does_not_follow_itself"),
            models.CheckConstraint(condition=Q(max_runs_per_team__gte=1), name="task_allows_a_run"),
            models.CheckConstraint(condition=Q(max_documents_per_topic__gte=1), name="task_allows_a_document"),
        ]

    def clean(self) -> None:
        require_plain_lines(self)
        if self.round_kind == self.RESIDUAL and self.follows_id is None:
            raise ValidationError(
                {"round_kind": "A residual round follows another one: add it from the page of the earlier round."}
            )
        deleted = Task.everything.exclude(deleted_at=None).exclude(pk=self.pk)
        if deleted.filter(campaign=self.campaign_id, slug=self.slug).exists():
            raise ValidationError({"slug": "A deleted task of this campaign has this address. Choose another."})

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("task_detail", kwargs=self.address)

    @property
    def address(self) -> dict[str, str]:
        """The keyword arguments of every URL below this task."""
        return {"campaign_slug": self.campaign.slug, "task_slug": self.slug}

    def url(self, page: str, **kwargs: object) -> str:
        """The address of a page below this task, by its URL name."""
        return reverse(page, kwargs={**self.address, **kwargs})

    @property
    def mode(self) -> Mode:
        return mode_named(self.judging_mode)

    @property
    def reasons(self) -> list[str]:
        """Why a document cannot be judged, for assessors to choose from."""
        lines = (line.strip() for line in lines_of(self.cannot_judge_reasons))
        return [line[: limits.REASON_OF_JUDGMENT] for line in lines if line]

    @property
    def ordering(self) -> Ordering:
        """By what the documents of runs are ordered, in pools, scores and where a run is cut."""
        return Ordering(self.run_order, self.reference)

    def is_past(self, phase: str) -> bool:
        order = list(self.PHASES)
        return order.index(self.phase) > order.index(phase)


class Grade(KeepsStates):
    """One step of a task's grade scale."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="grades")
    value = models.SmallIntegerField(validators=[MinValueValidator(0)])
    label = models.CharField(max_length=limits.GRADE_LABEL)
    key = models.CharField(max_length=1, help_text="The key that gives this grade at the desk.")
    gain = models.FloatField(validators=[MinValueValidator(0)])
    definition = models.CharField(max_length=limits.GRADE_DEFINITION, blank=True)

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(fields=["task", "value"], name="grade_value_once_per_task"),
            models.UniqueConstraint(fields=["task", "key"], name="grade_key_once_per_task"),
            models.CheckConstraint(condition=Q(value__gte=0), name="grade_value_not_negative"),
            models.CheckConstraint(condition=Q(gain__gte=0), name="grade_gain_not_negative"),
        ]

    def clean(self) -> None:
        require_plain_lines(self)

    def __str__(self) -> str:
        return f"{self.value} {self.label}"

    def step(self) -> GradeStep:
        """The grade as settings and services take it."""
        return {
            "value": self.value,
            "label": self.label,
            "key": self.key,
            "gain": self.gain,
            "definition": self.definition,
        }


class JudgedBefore(KeepsStates):
    """The pairs of topic and document judged in the rounds before a residual one, as they were when the round opened.

    They leave runs and qrels of the round before pooling and scoring. Fixed anew only while the round is in its set-up.
    """

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="judged_before")
    file = models.FileField("pairs (Parquet: topic, docno)", max_length=200)
    sha256 = Sha256Field("SHA-256", max_length=64)
    pairs = models.PositiveIntegerField()
    topics = models.PositiveIntegerField(help_text="Topics of this round with such a pair.")
    changed = models.PositiveIntegerField(
        default=0, help_text="Pairs left out because the text of the document has changed: they are judged anew."
    )
    sources = LimitedJSONField(
        shape=list_of(
            record({"round": TEXT, "judgments": WHOLE, "qrels": or_null(WHOLE)}, {"qrels_sha256": TEXT}),
        ),
        default=list,
        help_text="By earlier round: its address, its newest qrels and the number of its judgments.",
    )
    fixed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "judged before"
        ordering = ["task"]

    def __str__(self) -> str:
        return f"what was judged before {self.task}"
