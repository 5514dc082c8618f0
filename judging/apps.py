from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from campaign.modes import register
        from campaign.waiting import tell
        from judging.modes.registry import MODES
        from judging.selectors.judged import judged_documents
        from judging.selectors.waiting import judging_to_organise, topics_to_judge
        from pooling.selectors.judged import read_judgments_with

        for judging_mode in MODES.values():
            register(judging_mode.mode)
        read_judgments_with(judged_documents)
        tell("organiser", judging_to_organise)
        tell("assessor", topics_to_judge)
