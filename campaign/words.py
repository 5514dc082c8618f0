"""Numbers in the sentences of pages and mails."""


def counted(count: int, noun: str) -> str:
    """1 run, 1,200 runs; an irregular plural follows a comma: `counted(2, "query,queries")`."""
    singular, _, plural = noun.partition(",")
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
