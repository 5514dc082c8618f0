"""How many characters texts may have, by what they are for. The one table: models, forms, services and commands read it.

Other short names and titles have theirs at the field of the model (`max_length`).
"""

MARKDOWN = 50_000
"""Some 20 printed pages. What is longer is shown as it was written; formatting has a limit of time besides."""
MAIL_TEXT = 20_000
MAIL_BODY = 100_000
DESCRIPTION = 5_000
JUDGMENT_NOTE = 4_000
REASON = 2_000
REASONS, REASON_OF_JUDGMENT = 2_000, 100
NOTE = 2_000
PRACTICE = 500_000
BOARD_NOTE, BOARD_TERMS = 500, 2_000
GRADE_LABEL, GRADE_DEFINITION = 40, 300
ANSWER = 2_000
QUESTION, CHOICE, MOST_CHOICES = 300, 200, 100
SEARCH = 200
"""What is searched for in a list, or on the whole site. Docnos and numbers of topics have at most as many."""
ORGANISER_QUESTION, ORGANISER_ANSWER = 4_000, 10_000

TITLE_OF_TOPIC = TITLE_OF_DOCUMENT = SUBTOPIC = 2_000
PART_OF_TOPIC, MOST_SUBTOPICS = 20_000, 500
DOCUMENT = 32 << 20
CORRECTED = 3 * DOCUMENT
"""Of the changed texts as JSON, in which line breaks and quotation marks take two characters."""
BYTES_OF_ROW = 48 << 20
"""Of one row in an archive, as JSON."""
BYTES_CORRECTED = BYTES_OF_ROW - (1 << 20)
"""Of the changed texts before and after a correction: the other parts of its row have the rest."""
EDITED_ON_A_PAGE = 500_000
"""Longer documents are corrected by API: browsers and the limit of a form's data do not take them."""

PROBLEM, EXCERPT = 5_000, 200
JOB_MESSAGE = 10_000

MEASURES = 10_000
SEVERITIES = 10_000
QUESTIONS = 200_000
ANSWERS = 200_000
METADATA = 500_000
OPTIONS = 10_000
LINKS = 10_000
"""Of JSON, as it is written."""

DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""What turns the direction of letters unseen: no place for it in names, numbers and lines that others read."""
