"""How a published board is cited: BibTeX and CSL-JSON."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from campaign.formats.latex import escaped

BRACES: Final = {"{": "\\textbraceleft{}", "}": "\\textbraceright{}"}


@dataclass(frozen=True, slots=True)
class Cited:
    """`key`: letters, digits and hyphens. `sha256`: of the snapshot, which tells it from every other.

    `restored`: when an archive brought the board to the site of `url`; None where that site published it.
    """

    key: str
    title: str
    publisher: str
    published: date
    url: str
    sha256: str
    restored: date | None = None

    @property
    def note(self) -> str:
        """
        >>> Cited("velo-1", "A", "Velo", date(2026, 11, 3), "https://example.org/1/", "ab", date(2027, 1, 2)).note
        'SHA-256 ab. Published elsewhere; restored from an archive on 2027-01-02'
        """
        came = self.restored and f". Published elsewhere; restored from an archive on {self.restored}"
        return f"SHA-256 {self.sha256}{came or ''}"


def bibtex(cited: Cited) -> str:
    """An entry @misc; what users wrote is escaped, so that it can neither end a field nor start a command.

    >>> print(bibtex(Cited("velo-1", "A & B", "Velo", date(2026, 11, 3), "https://example.org/1/", "ab")))
    @misc{velo-1,
      title = {{A \\& B}},
      author = {{Velo}},
      year = {2026},
      month = nov,
      url = {https://example.org/1/},
      note = {SHA-256 ab}
    }
    <BLANKLINE>
    """
    fields = [
        ("title", f"{{{{{_in_braces(cited.title)}}}}}"),
        ("author", f"{{{{{_in_braces(cited.publisher)}}}}}"),
        ("year", f"{{{cited.published.year}}}"),
        ("month", cited.published.strftime("%b").lower()),
        ("url", f"{{{cited.url}}}"),
        ("note", f"{{{cited.note}}}"),
    ]
    body = ",\n".join(f"  {name} = {value}" for name, value in fields)
    return f"@misc{{{cited.key},\n{body}\n}}\n"


def _in_braces(text: str) -> str:
    """BibTeX counts braces whether a backslash stands before them or not: here they have names."""
    return "".join(BRACES.get(character) or escaped(character) for character in text)


def csl(cited: Cited) -> list[dict[str, Any]]:
    """CSL-JSON, as reference managers read it.

    >>> csl(Cited("velo-1", "A", "Velo", date(2026, 11, 3), "https://example.org/1/", "ab"))[0]["issued"]
    {'date-parts': [[2026, 11, 3]]}
    """
    day = cited.published
    return [
        {
            "id": cited.key,
            "type": "dataset",
            "title": cited.title,
            "author": [{"literal": cited.publisher}],
            "issued": {"date-parts": [[day.year, day.month, day.day]]},
            "URL": cited.url,
            "note": cited.note,
        }
    ]
