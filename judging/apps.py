from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from campaign.modes import register
        from judging.modes.registry import MODES
        from judging.selectors.judged import judged_documents
        from pooling.selectors.judged import read_judgments_with

        for judging_mode in MODES.values():
            register(judging_mode.mode)
        read_judgments_with(judged_documents)
