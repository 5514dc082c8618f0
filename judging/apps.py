from django.apps import AppConfig


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        from campaign.collection.selectors.errata import count_earlier_versions_with
        from campaign.collection.services.imports import import_with
        from campaign.models import Import
        from campaign.modes import register
        from judging.core.modes.registry import MODES
        from judging.judgment_imports.services import JUDGMENTS_JOBS
        from judging.judgments.selectors.versions import made_with_earlier_versions
        from judging.qrels.services.imports import QRELS_JOBS
        from judging.selectors.judged_documents import judged_documents, judging_pace, judgments_version
        from pooling.selectors.judged_documents import Readers, read_judgments_with

        for judging_mode in MODES.values():
            register(judging_mode.mode)
        import_with(Import.QRELS, QRELS_JOBS)
        import_with(Import.JUDGMENTS, JUDGMENTS_JOBS)
        read_judgments_with(Readers(judged_documents, judgments_version, judging_pace))
        count_earlier_versions_with(made_with_earlier_versions)
