from django.db import models


class RenderedText(models.Model):
    """What a text in Markdown looks like: rendered once, found by the text itself. A row can be deleted at any time."""

    text_sha256 = models.CharField("SHA-256 of the text", max_length=64)
    renderer = models.PositiveSmallIntegerField(help_text="The version of the renderer, which may write other HTML.")
    html = models.TextField(blank=True, help_text="Sanitised.")
    is_refused = models.BooleanField(default=False, help_text="It is too much to render: shown as it was written.")
    rendered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["text_sha256", "renderer"], name="text_rendered_once")]

    def __str__(self) -> str:
        return f"{self.text_sha256[:12]} by renderer {self.renderer}"
