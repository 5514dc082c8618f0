"""Files of documents are read back by the project's own reader as the same documents."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.document_files import DOCUMENT_FILES, DocumentText
from campaign.formats.documents import DocumentReader
from campaign.formats.markup import one_line, tidy_lines

docnos = st.text(alphabet=st.characters(codec="utf-8", categories=("L", "N", "P")), min_size=1, max_size=8).filter(
    lambda docno: {".", ".."}.isdisjoint(docno.split("/"))
)
words = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
traps = st.sampled_from(
    [
        "<DOC>",
        "</doc>",
        "<doc\nid=1>",
        "</TEXT>",
        "<script>x</script>",
        "&amp;",
        "&#60;",
        "<!--",
        "a <b",
        "AT&T",
        "1 < 2",
    ]
)
texts = st.lists(st.one_of(words, traps), min_size=1, max_size=4).map("\n".join)
documents = st.builds(DocumentText, docnos, texts.map(one_line), texts.map(str.strip).filter(bool))


@pytest.mark.parametrize("name", DOCUMENT_FILES)
@given(wanted=st.lists(documents, min_size=1, max_size=3, unique_by=lambda document: document.docno))
def test_a_document_file_that_is_offered_is_read_back_as_the_same_documents(name, wanted):
    file = DOCUMENT_FILES[name]
    reader = DocumentReader(BytesIO("".join(file.lines(wanted)).encode()))
    found = [DocumentText(one.docno, one.title, one.text) for one in reader]
    assert reader.problems.ok
    assert reader.format == name
    if file.loses:
        wanted = [one._replace(text=tidy_lines(one.text.replace("\r\n", "\n").replace("\r", "\n"))) for one in wanted]
    assert found == wanted
