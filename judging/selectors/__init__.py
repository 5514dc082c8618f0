from judging.selectors.releases import qrels_table, subtopic_qrels_table

__all__ = ["qrels_table", "subtopic_qrels_table"]
