"""The field's words as this site uses them: one list for the page *Glossary* and for docs/reference/concepts.md."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.text import slugify


@dataclass(frozen=True, slots=True)
class Word:
    name: str
    meaning: str

    @property
    def anchor(self) -> str:
        """In HTML a name begins with a letter."""
        return slugify(self.name).lstrip("0123456789-")


@dataclass(frozen=True, slots=True)
class Subject:
    title: str
    words: tuple[Word, ...]


def _subject(title: str, words: dict[str, str]) -> Subject:
    return Subject(title, tuple(Word(name, meaning) for name, meaning in words.items()))


GLOSSARY = (
    _subject(
        "Campaigns and runs",
        {
            "Campaign": (
                "Tasks with the same organisers and teams, such as a track of TREC in one year. Deadlines are set for "
                "each task."
            ),
            "Task": (
                "Topics, rules for runs, and mostly a collection and a deadline. Runs of a task are judged and scored "
                "together."
            ),
            "Round": (
                "A task that follows another task of its campaign and begins with its settings, such as that of a further "
                "month."
            ),
            "Topic": "A need for information: a number, a title, and mostly a description and a narrative.",
            "Subtopic": (
                "One aspect of a topic. Where a task is judged by subtopics, a document has a grade for each besides its "
                "own."
            ),
            "Collection": "The documents from which runs retrieve. Each has a document number (docno).",
            "Docno": "The number of a document in the collection, as runs and qrels name it. It may hold letters.",
            "Run": "A file of a team: for each topic the documents that its system retrieved, with rank and score.",
            "Tag": (
                "The name of a run, mostly that in the last column of its file. Of the runs of a task that count, no two "
                "share a tag."
            ),
            "Receipt": "What a team gets for a file: the time of its last byte, which counts for the deadline, and its checksum.",
            "Manual run": "A run in which a person took part, for example by writing the queries. Other runs are automatic.",
            "Ranking and tie-breaking": (
                "By score, and by docno where scores are equal, unless the task says by rank or by line. Pools, measures "
                "and pages use the same order; a pool that was drawn before a change keeps the order of then, and boards "
                "say so."
            ),
            "Erratum": (
                "A correction of a topic, a document, a grade, the guidelines or of which topics count, after others may "
                "have seen them."
            ),
        },
    ),
    _subject(
        "Pools and judging",
        {
            "Pool": (
                "The pairs of topic and document that assessors judge: drawn from the first documents of the runs, "
                "imported, or added."
            ),
            "Depth": "The rank down to which a pool takes the documents of a run; some strategies have none.",
            "Sampled pool": (
                "A pool whose documents are drawn at random, with known probabilities, from which some measures estimate "
                "scores."
            ),
            "Stratum": "A part of a sampled pool, from which documents are drawn with a rate of its own.",
            "Grade": "How relevant a document is to a topic. The grades of a task are its scale; the lowest relevant one is set.",
            "Judgment": (
                "What an assessor says of one document for one topic, mostly a grade. A later one takes its place; none "
                "is changed."
            ),
            "Qrels": "The grades that count, one for each pair of topic and document. Runs are scored by a released version.",
            "Release": (
                "The step that makes a numbered version of the qrels from judgments or a file. The grades of a version "
                "never change."
            ),
            "Assignment": "A topic, a part of it, or a share of its documents drawn at random, that one assessor judges.",
            "Second opinion": "A second judging of documents by another assessor, who does not see the first grades.",
            "Hidden repeat": "A document that an assessor gets a second time, later. It measures agreement with oneself.",
            "Disagreement": "A document that assessors judged differently. An adjudicator may decide it.",
            "Krippendorff’s alpha": "Agreement of assessors: 1 is perfect agreement, 0 is what chance gives.",
            "Pool completeness": "What of the relevant documents the pool has found: by judged documents, runs and estimates.",
            "Near-duplicate": (
                "A document whose text is nearly that of another one. Organisers choose whether one of them is judged for "
                "all."
            ),
            "Model assessor": "A program that grades documents. Its grades are kept apart and are never in the qrels.",
            "Preference": (
                "The answer which of two documents is the better one, or that they are equal. An order of the best "
                "documents follows."
            ),
        },
    ),
    _subject(
        "Scores",
        {
            "Measure": "A rule that makes a number of a ranking and mostly the qrels, such as nDCG@10 or AP.",
            "Score": "The value of a measure for a run: for one topic, or for all, mostly the mean over topics.",
            "Unjudged document": "A document without a grade in the qrels. Most measures take it for not relevant.",
            "Judged@10": (
                "The share of judged documents among the first 10 that a run retrieved, mean over the topics that it "
                "answers."
            ),
            "Judged of first 10": (
                "The share of a run’s first 10 ranks that hold no unjudged document, mean over the topics that it "
                "answers. A rank without a document counts as judged, which Judged@10 leaves out."
            ),
            "Unpublished scores": (
                "The board that only organisers see. Its page says so where runs, qrels or settings have changed since it "
                "was computed."
            ),
            "Leaderboard": "A published board. It has a number, and its scores never change.",
            "Live board": (
                "A board that everybody sees while runs still come in, if the organisers choose so. It shows tests in a "
                "development round only."
            ),
            "Topics for feedback": (
                "Topics whose scores teams may see before publication. They count in no mean and no test of a "
                "leaderboard."
            ),
            "Baseline": "A run that the organisers name. A board says which runs are shown to be better or worse than it.",
            "Topics removed from scoring": (
                "Topics that count in no mean and no test of a board; leaderboards say why. Organisers see means with "
                "them under “With removed topics”."
            ),
        },
    ),
    _subject(
        "Tests and reliability",
        {
            "95 % interval": "A range that holds a run’s mean over all possible topics for about 95 of 100 samples of topics.",
            "Significantly different": (
                "The test finds a difference that is rare by chance: p below .05, corrected for the pairs that the board "
                "compares."
            ),
            "Not significantly different": "The test finds too little. It does not say that the two runs are equally good.",
            "Letters": "Runs that share a letter are not significantly different.",
            "Corrected p": (
                "A p that allows for how many pairs the board compares: all, each run with the baseline, or the best run "
                "of each team."
            ),
            "Rank": (
                "The place of a run by the measure that is chosen for the table. Runs of equal value share it. Measures "
                "of how much is judged give none."
            ),
            "Rank interval": (
                "The ranks that a run may have over all possible topics, by the test of the board; not all tests give "
                "one."
            ),
            "Equivalent": "The test shows that the two differ by less than a margin that was named before there were scores.",
            "Critical difference": "The diagram in which a line joins runs that are not significantly different.",
            "Kendall’s tau": "How alike two orders of the runs are: 1 is the same order, −1 the opposite one.",
            "Tau-AP": "As Kendall’s tau, with more weight for the best places.",
            "Leave-one-team-out": (
                "The board without the relevant documents that one team alone brought into the pool. It shows whether "
                "others can be scored fairly."
            ),
            "Leave-one-topic-out": "The order of the runs without one topic. It shows whether a single topic decides the order.",
            "Split-half": (
                "The orders of the runs by two halves of the topics. They show how far the order depends on the topics."
            ),
            "Discriminative power": "The share of pairs of runs that a measure shows to differ, by the step-down max-T test.",
            "Variance components": "How much scores vary by run, by topic and by the rest. They say how many topics are enough.",
        },
    ),
)


def glossary_table() -> Iterator[str]:
    """The lines of the section *Words* of docs/reference/concepts.md."""
    for subject in GLOSSARY:
        yield from (f"### {subject.title}", "", "| word | meaning |", "| --- | --- |")
        yield from (f"| {word.name} | {word.meaning} |" for word in subject.words)
        yield ""
