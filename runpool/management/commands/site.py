import sys
from getpass import getpass

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from runpool.management.commands.demo import Command as Demo
from runpool.places import IS_WHEEL, start_command

WELCOME = """
  Runpool is at  http://127.0.0.1:{port}{page}

  Sign in with your account{first}. Others sign up by themselves.

  Data           {data}
  Logs           {data}/logs
  Stop           Ctrl-C
"""


class Command(Demo):
    help = (
        "Start the whole product on this machine without the demo campaign. The first start asks for the first account."
    )
    what = "site"

    def fill(self) -> None:
        from campaign.models import Campaign, User
        from runpool.demo.load import CAMPAIGN

        if Campaign.objects.filter(slug=CAMPAIGN).exists():
            other = start_command(what=self.what, data="/another/folder")
            raise CommandError(f"{settings.DATA_DIR} holds the demo campaign. Choose another folder: {other}")
        if User.objects.exists():
            return
        if not sys.stdin.isatty():
            manage = "runpool manage" if IS_WHEEL else "python manage.py"
            raise CommandError(
                "There is no account yet, and no terminal to ask at. Create the first one, then start the site again: "
                f"{manage} create_user NAME --superuser --password-stdin"
            )
        self.stdout.write("The first account, which also operates the site.")
        while not self.is_created():
            pass

    def is_created(self) -> bool:
        user, email = input("User name: "), input("Mail address (may be empty): ")
        password = getpass("Password: ")
        if getpass("Password again: ") != password:
            self.stdout.write("These are two passwords. Type the same one twice.")
            return False
        try:
            call_command("create_user", user, email=email, superuser=True, password=password, stdout=self.stdout)
        except CommandError as problem:
            self.stdout.write(f"{problem} Type it all again.")
            return False
        return True

    def welcome(self, port: int) -> None:
        from campaign.models import Campaign

        is_empty = not Campaign.objects.exists()
        page, first = (reverse("campaign_create"), ": the first campaign is next") if is_empty else ("/", "")
        self.stdout.write(WELCOME.format(port=port, data=settings.DATA_DIR, page=page, first=first))
        self.stdout.flush()
