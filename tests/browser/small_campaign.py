"""A campaign that is small enough for a browser: its files, and the people who walk through it by its pages."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.sites import Site

PASSWORD = "correct horse battery staple"
CAMPAIGN, TASK = "small-matters", "kitchen"
TASK_PATH = f"/c/{CAMPAIGN}/{TASK}/"
TOPICS = {"1": "boiling an egg", "2": "cleaning a kettle", "3": "sharpening a knife"}
DOCNOS = [f"K{number:02}" for number in range(1, 13)]


def write_files(folder: Path) -> None:
    """Topics, documents, three runs, and two files with faults."""
    topics = "".join(
        f"<top>\n<num> Number: {number}\n<title> {title}\n<desc> Description:\nHow is it done?\n</top>\n"
        for number, title in TOPICS.items()
    )
    (folder / "topics.txt").write_text(topics)
    documents = [{"docno": docno, "title": f"Note {docno}", "text": f"What note {docno} says."} for docno in DOCNOS]
    (folder / "documents.jsonl").write_text("\n".join(map(json.dumps, documents)) + "\n")
    (folder / "bad-topics.tsv").write_text("1\tan egg\n1\tanother egg\n")
    for tag, shift in {"north-1": 0, "north-2": 3, "south-1": 6}.items():
        (folder / f"{tag}.txt").write_text(_run(tag, shift))
    (folder / "broken.txt").write_text("1 Q0 K01 1 2.0 broken\n1 Q0 K01 2 1.0 broken\n9 Q0 K02 1 nothing broken\n")


def _run(tag: str, shift: int) -> str:
    ranked = {
        topic: DOCNOS[(int(topic) - 1) * 4 + shift :] + DOCNOS[: (int(topic) - 1) * 4 + shift] for topic in TOPICS
    }
    return "".join(
        f"{topic} Q0 {docno} {rank} {100 - rank} {tag}\n"
        for topic, docnos in ranked.items()
        for rank, docno in enumerate(docnos, 1)
    )


class Person:
    """Somebody with a browser profile of their own."""

    def __init__(self, browser: Browser, site: Site, name: str) -> None:
        self.context = browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 860})
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.name = name
        self.troubles: list[str] = []
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", lambda message: self.troubles.append(message.text) if message.type == "error" else None)

    def sign_up(self) -> None:
        self.open("/account/signup/")
        self.page.fill("#id_username", self.name)
        self.page.fill("#id_email", f"{self.name}@example.org")
        self.page.fill("#id_password1", PASSWORD)
        self.page.fill("#id_password2", PASSWORD)
        self.page.get_by_role("button", name="Create the account").click()
        expect(self.page.get_by_role("button", name=self.name)).to_be_visible()

    def open(self, path: str) -> None:
        response = self.page.goto(path)
        assert response is not None
        assert response.ok, f"{path}: {response.status}\n{response.text()[:2000]}"

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name).or_(self.page.get_by_role("link", name=name)).first.click()

    def sees(self, text: str) -> None:
        expect(self.page.locator("main")).to_contain_text(text)

    def upload(self, path: str, file: Path, button: str) -> None:
        self.open(path)
        self.page.set_input_files("input[type=file]", file)
        expect(self.page.locator("main")).to_contain_text(file.name)  # the page grows by it, and the button moves
        self.click(button)


def take_part(member: Person, team: str, files: Path, tags: list[str]) -> None:
    member.open(f"/c/{CAMPAIGN}/")
    member.click("Register a team")
    member.click("Create a team")
    member.page.fill("#id_name", team)
    member.click("Create the team")
    member.click(f"Register {team}")
    for tag in tags:
        member.upload(f"{TASK_PATH}runs/new/", files / f"{tag}.txt", "Upload and check")
        member.sees("passed the check")
        member.sees("36")
