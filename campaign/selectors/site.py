from django.conf import settings


def absolute(path: str) -> str:
    """The whole address of a page, for mails and files: they leave the site."""
    return f"{settings.SITE_URL}{path}"
