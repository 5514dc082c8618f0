"""Made-up runs of 50 topics with 1000 documents each, and the requests that send them."""

import random
import uuid

TOPICS = [str(number) for number in range(301, 351)]
DOCNOS = [f"DOC-{number:07}" for number in range(20_000)]
DEPTH = 1000


def run_text(tag: str, chance: random.Random) -> bytes:
    """Return a run; each draw of `chance` gives other documents."""
    return "".join(
        f"{topic} Q0 {docno} {rank} {DEPTH - rank}.25 {tag}\n"
        for topic in TOPICS
        for rank, docno in enumerate(chance.sample(DOCNOS, DEPTH), start=1)
    ).encode()


class RunsOfOneShape:
    """Many runs at little cost: the lines of a few, each time with another tag, so that no two files are equal."""

    def __init__(self, count: int = 8) -> None:
        self._texts = [run_text("TAG", random.Random(number)) for number in range(count)]

    def text(self, tag: str, number: int) -> bytes:
        return self._texts[number % len(self._texts)].replace(b" TAG\n", f" {tag}\n".encode())


def multipart(fields: dict[str, str], file_name: str, content: bytes) -> tuple[str, bytes]:
    """Return the content type and the body of a form with one file."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
    head += "Content-Type: text/plain\r\n\r\n"
    return f"multipart/form-data; boundary={boundary}", b"".join(
        [*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()]
    )
