"""Topics: SGML, XML, TSV and JSONL."""
