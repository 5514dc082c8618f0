from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from campaign.collection.selectors.errata import count_earlier_versions_with
        from campaign.collection.services.imports import import_with
        from campaign.contradictions import find_contradictions_with
        from campaign.models import Import, Task
        from campaign.modes import register
        from campaign.open_work import answer_for
        from campaign.rooms import show_room
        from campaign.sweeps import sweep_with
        from campaign.waiting import tell
        from judging import figures, records
        from judging.modes.registry import MODES
        from judging.preferences.selectors import preferences_to_judge
        from judging.selectors.contradictions import judging_against_phase
        from judging.selectors.judged import judged_documents, judging_pace, judgments_version
        from judging.selectors.open_work import judging_left_open
        from judging.selectors.rooms import judging_room, own_topics_room, qrels_room
        from judging.selectors.versions import made_with_earlier_versions
        from judging.selectors.waiting import judging_to_organise, topics_to_judge
        from judging.services.claims import choosing_forgotten
        from judging.services.imports import QRELS_JOBS
        from judging.services.reminders import reminders_forgotten
        from pooling.selectors.judged import Readers, read_judgments_with

        for judging_mode in MODES.values():
            register(judging_mode.mode)
        import_with(Import.QRELS, QRELS_JOBS)
        read_judgments_with(Readers(judged_documents, judgments_version, judging_pace))
        count_earlier_versions_with(made_with_earlier_versions)
        sweep_with(choosing_forgotten)
        sweep_with(reminders_forgotten)
        answer_for(Task.JUDGING, judging_left_open)
        tell("organiser", judging_to_organise)
        tell("assessor", topics_to_judge)
        tell("assessor", preferences_to_judge)
        for room in (own_topics_room, judging_room, qrels_room):
            show_room(room)
        find_contradictions_with(judging_against_phase)
        figures.show()
        records.declare()
