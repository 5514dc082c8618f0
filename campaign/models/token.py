from django.conf import settings
from django.db import models
from django.db.models import Q


class ApiToken(models.Model):
    """Lets a program act as its user within a scope, until it expires or is revoked. Only a hash of it is kept."""

    READ, SUBMIT, ORGANISE = "read", "submit", "organise"
    SCOPES = {
        READ: "read: look, change nothing",
        SUBMIT: "submit: read, act for my teams, and judge as an assessor",
        ORGANISE: "organise: all of that, and change the campaigns that I organise",
    }
    """Each includes those before it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for: the name of a machine or a script.")
    scope = models.CharField(max_length=10, choices=SCOPES, default=SUBMIT)
    start = models.CharField(max_length=12, editable=False, help_text="The first characters, to tell tokens apart.")
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "submit", "organise"]), name="api_token_scope_is_known"
            )
        ]

    def covers(self, scope: str) -> bool:
        order = list(self.SCOPES)
        return order.index(self.scope) >= order.index(scope)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
