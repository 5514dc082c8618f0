from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from judging.selectors.judged import judged_documents
        from pooling.selectors.judged import read_judgments_with

        read_judgments_with(judged_documents)
