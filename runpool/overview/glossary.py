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
        return slugify(self.name)


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
            "Campaign": "One or more tasks with the same organisers, teams and dates, such as a track of TREC in one year.",
            "Task": "Topics, a collection, rules for runs and a deadline. Runs of a task are judged and scored together.",
            "Round": "A task that follows another task of its campaign and has its settings, such as that of a further month.",
            "Topic": "A need for information: a number, a title, and mostly a description and a narrative.",
            "Subtopic": "One aspect of a topic. Where a task is judged by subtopics, a document has a grade for each.",
            "Collection": "The documents from which runs retrieve. Each has a document number (docno).",
            "Docno": "The number of a document in the collection, as runs and qrels name it. It may hold letters.",
            "Run": "A file of a team: for each topic the documents that its system retrieved, with rank and score.",
            "Tag": "The name of a run, in the sixth column of its file. A team has one run that counts for each tag.",
            "Receipt": "What a team gets for a file: the time of its last byte, which counts for the deadline, and its checksum.",
            "Manual run": "A run in which a person took part, for example by writing the queries. Other runs are automatic.",
            "Order of documents": (
                "By score, and by docno where scores are equal, unless the task says by rank or by line. Pools, measures and "
                "pages use the same order."
            ),
            "Erratum": "A correction of a topic, a document or the guidelines after others may have seen the text.",
        },
    ),
    _subject(
        "Pools and judging",
        {
            "Pool": "The pairs of topic and document that assessors judge, drawn from the first documents of the runs.",
            "Depth": "The rank down to which a pool takes the documents of a run.",
            "Sampled pool": "A pool whose documents are drawn at random, with known probabilities, so that scores are estimates.",
            "Stratum": "A part of a sampled pool, from which documents are drawn with a rate of its own.",
            "Grade": "How relevant a document is to a topic. The grades of a task are its scale; the lowest relevant one is set.",
            "Judgment": "The grade of one document for one topic by one assessor. A later one takes its place; none is changed.",
            "Qrels": "The grades that count, one for each pair of topic and document. Runs are scored by a released version.",
            "Release": "The step that makes a numbered version of the qrels from judgments. No version ever changes.",
            "Assignment": "A topic, or a part of it, that one assessor judges.",
            "Second opinion": "A second judging of the same documents by another assessor, who does not see the first grades.",
            "Hidden repeat": "A document that an assessor gets a second time, later. It measures agreement with oneself.",
            "Disagreement": "A document that two assessors judged differently. An adjudicator may decide it.",
            "Krippendorff’s alpha": "Agreement of assessors: 1 is perfect agreement, 0 is what chance gives.",
            "Pool completeness": "How much of what is relevant the pool has found: by judged documents, runs and estimates.",
            "Near-duplicate": "A document whose text is nearly that of another one. It may be judged once for both.",
            "Model assessor": "A program that grades documents. Its grades are kept apart and are never in the qrels.",
            "Preference": "The answer which of two documents is the better one. An order of the best documents follows.",
        },
    ),
    _subject(
        "Scores",
        {
            "Measure": "A rule that makes a number of a ranking and the qrels, such as nDCG@10 or AP.",
            "Score": "The value of a measure for a run: for one topic, or the mean over topics.",
            "Unjudged document": "A document without a grade in the qrels. Most measures take it for not relevant.",
            "Judged@10": "The share of judged documents among the first 10 of a topic, mean over topics.",
            "Working scores": "The board that only organisers see. It is computed again when runs, qrels or settings change.",
            "Leaderboard": "A published board. It has a version and never changes.",
            "Live board": "A board that teams see while runs still come in. It shows no tests.",
            "Topics for feedback": "Topics whose scores teams see early. They count in no published mean and no test.",
            "Baseline": "A run that the organisers name, against which all runs are compared.",
            "Topics removed from scoring": "Topics that count in no mean and no test; the page of each says why.",
        },
    ),
    _subject(
        "Tests and reliability",
        {
            "95 % interval": "A range that holds a run’s mean over all possible topics for 95 of 100 samples of topics.",
            "Shown to differ": "The test finds a difference that is rare by chance: p below .05, corrected for all pairs.",
            "Not shown to differ": "The test finds too little. It does not say that the two runs are equally good.",
            "Letters": "Runs that share a letter are not shown to differ.",
            "Corrected for all pairs": "The p values allow for the number of pairs that are compared at once.",
            "Rank": "The place of a run by the first measure of the board. Equal scores share a rank.",
            "Rank range": "The ranks that a run may have over all possible topics, by the test of the board.",
            "Equivalent": "Shown to differ by less than a margin that was named before there were scores.",
            "Critical difference": "The diagram in which a line joins runs that are not shown to differ.",
            "Kendall’s tau": "How alike two orders of the runs are: 1 is the same order, −1 the opposite one.",
            "Tau-AP": "As Kendall’s tau, with more weight for the best places.",
            "Leave one team out": "The board without what one team alone found. It shows whether others can be scored fairly.",
            "Leave one topic out": "The board without one topic. It shows whether a single topic decides the order.",
            "Split halves": "The order by two halves of the topics. It shows how far the order depends on the topics.",
            "Discriminative power": "The share of pairs of runs that a measure shows to differ.",
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
