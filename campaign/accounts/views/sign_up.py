from allauth.account.views import SignupView
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpResponse


class SignUp(SignupView):  # type: ignore[misc]  # allauth has no types
    http_method_names = ["get", "head", "options", "post"]

    def form_valid(self, form: BaseForm) -> HttpResponse:
        """Where somebody else took the user name since the form was checked, it is refused as to those who come later."""
        try:
            answer: HttpResponse = super().form_valid(form)
        except ValidationError as problem:
            form.add_error("username", problem)
            answer = self.form_invalid(form)
        return answer
