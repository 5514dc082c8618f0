"""Guidelines and the words of grades as texts to correct."""

from campaign.collection.forms import CorrectionForm, Entry
from campaign.collection.selectors.versions import guidelines_version
from campaign.models import Task
from campaign.text import limits

GUIDELINES = "guidelines"


def stored_guidelines(task: Task) -> tuple[list[Entry], str]:
    """As they are now, with their SHA-256."""
    now = Task.objects.get(pk=task.pk)
    entries = [Entry(GUIDELINES, "Guidelines (Markdown)", now.guidelines, limits.MARKDOWN, rows=16)]
    for grade in now.grades.all():
        value = grade.value
        entries += [
            Entry(f"label-{value}", f"Label of grade {value}", grade.label, limits.GRADE_LABEL, required=True),
            Entry(f"definition-{value}", f"Definition of grade {value}", grade.definition, limits.GRADE_DEFINITION),
        ]
    return entries, guidelines_version(now)


def corrected_words(form: CorrectionForm) -> tuple[str, dict[int, dict[str, str]]]:
    """Return the guidelines, and label and definition by grade."""
    texts, grades = form.texts(), dict[int, dict[str, str]]()
    guidelines = texts.pop(GUIDELINES)
    for entry, text in texts.items():
        name, value = entry.split("-")
        grades.setdefault(int(value), {})[name] = text
    return guidelines, grades
