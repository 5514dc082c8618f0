from django.core.exceptions import ValidationError
from django.forms import BaseForm


def add_errors(form: BaseForm, problem: ValidationError) -> None:
    """Show what a service refused at the fields it names; what names none that the form has goes to the top."""
    if not hasattr(problem, "error_dict"):
        form.add_error(None, problem)
        return
    for name, errors in problem.error_dict.items():
        form.add_error(name if name in form.fields else None, errors)
