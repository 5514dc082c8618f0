"""Which tags of an SGML document, `<DOC>` to `</DOC>`, become docno, title and text of a document."""

from __future__ import annotations

from dataclasses import dataclass, field

from campaign.formats.document_notes import DocumentNotes
from campaign.formats.markup import Piece, attributes_of, decoded, one_line, pieces, tidy_lines

TITLE_TAGS = frozenset(
    {
        "title",
        "headline",
        "hl",
        "ti",
        "titl",
        "tite",
        "articletitle",
        "brief_title",
        "official_title",
        "invention-title",
    }
)
BEFORE_OTHER_TITLES = "articletitle"
"""Of PubMed, where `<Title>` is that of the journal and comes first."""
DOCNO_TAGS = ("docno", "docid", "accn", "nct_id", "pmid")
DOCNO_ATTRIBUTES = ("docno", "docid", "itemid", "newid", "id", "ucid")
"""Of `<DOC>` itself, where no tag inside gives the docno."""
NOT_TEXT_TAGS = frozenset({"docoldno", "dochdr", "fileid", "script", "style"})
INLINE_TAGS = frozenset({"a", "b", "em", "font", "i", "span", "strong", "sub", "sup", "tt", "u"})


def markup_parts(opening: str, markup: str, notes: DocumentNotes) -> tuple[str, str, str]:
    """Docno, title and text of a document. `opening`: its tag `<DOC>`; `markup`: what follows up to `</DOC>`.

    The text is that of the tags `notes.wanted`, where it names some, and each that is there stands below its name where
    they are several.

    >>> markup_parts("<DOC id='a1'>", "<TITLE>Eggs</TITLE><P>Boil <b>them</b>.</P>", DocumentNotes())
    ('a1', 'Eggs', 'Boil them.')
    """
    wanted = [name.lower().strip("<>/") for name in notes.wanted]
    reader = _Reader(notes, frozenset(wanted))
    for piece in pieces(markup):
        reader.take(piece)
    reader.end()
    docno = reader.docno or _docno_of(opening)
    if not wanted:
        return docno, reader.title, _tidy(reader.text)
    texts = {name: text for name in wanted if (text := _tidy(reader.sections.get(name, [])))}
    for name, chosen in zip(wanted, notes.wanted, strict=True):
        if name in texts or (name in TITLE_TAGS and reader.title):
            notes.became("text", chosen)
    if len(texts) == 1:
        return docno, reader.title, next(iter(texts.values()))
    return docno, reader.title, "\n\n".join(f"{name}\n{text}" for name, text in texts.items())


def _docno_of(opening: str) -> str:
    docnos = {name: value.strip() for name, value in attributes_of(opening) if name in DOCNO_ATTRIBUTES}
    return next((docnos[name] for name in DOCNO_ATTRIBUTES if docnos.get(name)), "")


def _tidy(text: list[str]) -> str:
    return tidy_lines(decoded("".join(text)))


@dataclass(slots=True)
class _Reader:
    """`inside`: the tag that is read apart from the text around it, and `within` what stands in it, but for `skipped` tags."""

    notes: DocumentNotes
    wanted: frozenset[str]
    title: str = ""
    title_markup: str = ""
    title_tag: str = ""
    docnos: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    sections: dict[str, list[str]] = field(default_factory=dict)
    inside: str = ""
    within: list[str] = field(default_factory=list)
    skipped: str = ""
    around: str = ""
    left_out: set[str] = field(default_factory=set)

    def take(self, piece: Piece) -> None:
        name = piece.name
        if not name:
            self._text_of(piece.text)
        elif self.skipped:
            self.skipped = "" if piece.closing and name == self.skipped else self.skipped
        elif self.inside in self.wanted and not piece.closing and name in NOT_TEXT_TAGS:
            self.skipped = name
        elif self.inside:
            if piece.closing and name == self.inside:
                self._end_tag()
            elif name not in INLINE_TAGS:
                self.within.append("\n")
        elif not piece.closing and self._is_read_apart(name):
            self.inside = name
        else:
            self.around = name if not piece.closing and name not in INLINE_TAGS else self.around
            self.text.append("" if name in INLINE_TAGS else "\n")

    def end(self) -> None:
        if self.inside:
            self._end_tag()
        self.left_out.update(name for name, docno in self.docnos.items() if docno != self.docno)
        for name in self.left_out:
            self.notes.leave_out(name)

    @property
    def docno(self) -> str:
        return next((self.docnos[name] for name in DOCNO_TAGS if self.docnos.get(name)), "")

    def _is_read_apart(self, name: str) -> bool:
        return name in self.wanted or name in TITLE_TAGS or name in NOT_TEXT_TAGS or name in DOCNO_TAGS

    def _comes_before(self, name: str, text: str) -> bool:
        """Whether this title takes the place of the one that came first."""
        return name == BEFORE_OTHER_TITLES != self.title_tag and bool(one_line(decoded(text)))

    def _text_of(self, text: str) -> None:
        if self.skipped:
            self.left_out.add(self.skipped)
        elif self.inside:
            self.within.append(text)
        elif not self.wanted:
            self.text.append(text)
        elif text.strip():
            self.left_out.add(self.around or "doc")

    def _end_tag(self) -> None:
        name, self.inside = self.inside, ""
        text = "".join(self.within)
        self.within.clear()
        if name in DOCNO_TAGS:
            docno = decoded(text).strip()
            if docno != self.docnos.setdefault(name, docno):
                self.left_out.add(f"further {name}")
        elif name in TITLE_TAGS and (not self.title or self._comes_before(name, text)):
            if self.title and not self.wanted:
                self.text.extend(("\n", self.title_markup, "\n"))
            self.title, self.title_markup, self.title_tag = one_line(decoded(text)), text, name
        elif name in self.wanted:
            self.sections.setdefault(name, []).extend(("\n", text))
        elif name in TITLE_TAGS and not self.wanted:
            if one_line(decoded(text)) != self.title:
                self.text.extend(("\n", text, "\n"))
        elif text.strip():
            self.left_out.add(name)
