"""What was read of the documents of a file and what was not, for the note of their import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from campaign.formats.names import count_name, folded, listed
from campaign.formats.problems import ProblemLog, visible
from campaign.text.plurals import number_of

REMEDY = (
    "If assessors need one of these fields, send the file again and name it under “Fields to show”. If not, do nothing."
)


NUMBERS_OF_DOCUMENTS = frozenset(
    {"docid", "documentid", "docnumber", "doc", "document", "corpusid", "articleid", "article", "pageid", "page", "url"}
)
"""As `folded`: fields that may say to which document a passage belongs."""


@dataclass(slots=True)
class DocumentNotes:
    """Counts, by name, of the fields or tags that became a part of a document, and of those whose text was left out.

    `wanted`: the fields that the organiser chose to show. `written`: how the file writes the names that were given to fields.
    """

    wanted: Sequence[str] = ()
    mark: str = "“{}”"
    written: Mapping[str, str] = field(default_factory=dict)
    read: dict[str, Counter[str]] = field(
        default_factory=lambda: {part: Counter() for part in ("docno", "title", "text")}
    )
    left_out: Counter[str] = field(default_factory=Counter)
    title_only: int = 0

    def became(self, part: str, name: str) -> None:
        count_name(self.read[part], self.written.get(name, name))

    def leave_out(self, name: str) -> None:
        count_name(self.left_out, self.written.get(name, name))

    def of_passages(self) -> str:
        """The remedy where documents seem to count their passages from 1: a field that names the document was left out.

        >>> DocumentNotes(left_out=Counter({"doc_id": 2}), read={"docno": Counter({"pid": 2})}).of_passages()[:62]
        ' If each document counts its passages anew, write both “doc_id'
        """
        of_document = next((name for name in self.left_out if folded(name) in NUMBERS_OF_DOCUMENTS), "")
        docno = next(iter(self.read["docno"]), "")
        if not (of_document and docno):
            return ""
        return (
            f" If each document counts its passages anew, write both {visible(self.mark.format(of_document))} and "
            f"{visible(self.mark.format(docno))}, with a low line between them, into a field docno."
        )

    def tell(self, problems: ProblemLog) -> None:
        for name in self.wanted:
            if self.written.get(name, name) not in self.read["text"]:
                message = f"No document has a text in the field {visible(self.mark.format(name))}."
                remedy = "Check how the file writes it: “Left out” names what is there."
                problems.add("document_field_absent", message, remedy, severity="warning")
        if self.left_out:
            became = "; ".join(f"{part} from {listed(names, self.mark)}" for part, names in self.read.items() if names)
            message = f"Left out of the documents: {listed(self.left_out, self.mark)}."
            message += f" What was read: {became}." if became else ""
            problems.add("document_fields_left_out", message, REMEDY, severity="warning")
        if self.title_only:
            has = "has" if self.title_only == 1 else "have"
            remedy = "Assessors will see the title alone."
            problems.add(
                "document_title_only",
                f"{number_of(self.title_only, 'document')} {has} a title and no text.",
                remedy,
                severity="warning",
                times=self.title_only,
            )
