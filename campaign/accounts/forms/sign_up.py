from typing import Any

from allauth.account.forms import SignupForm
from django.http import HttpRequest

from campaign.accounts.forms.addresses import AddressField


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no types
    email = AddressField()

    def try_save(self, request: HttpRequest) -> Any:
        """A registered address brings an account as well, which never can be confirmed: without one, that the chosen name is
        free afterwards, or does not sign in, would tell that the address is registered.
        """
        self.account_already_exists = False
        return super().try_save(request)
