from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from campaign.models import Task
        from campaign.modes import register
        from campaign.open_work import answer_for
        from campaign.sweeps import sweep_with
        from campaign.waiting import tell
        from judging.modes.registry import MODES
        from judging.preferences.selectors import preferences_to_judge
        from judging.selectors.judged import judged_documents, judging_pace, judgments_version
        from judging.selectors.open_work import judging_left_open
        from judging.selectors.waiting import judging_to_organise, topics_to_judge
        from judging.services.claims import choosing_forgotten
        from judging.services.reminders import reminders_forgotten
        from pooling.selectors.judged import Readers, read_judgments_with

        for judging_mode in MODES.values():
            register(judging_mode.mode)
        read_judgments_with(Readers(judged_documents, judgments_version, judging_pace))
        sweep_with(choosing_forgotten)
        sweep_with(reminders_forgotten)
        answer_for(Task.JUDGING, judging_left_open)
        tell("organiser", judging_to_organise)
        tell("assessor", topics_to_judge)
        tell("assessor", preferences_to_judge)
