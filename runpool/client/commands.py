"""The operations of the site's API as commands: their names, their addresses, and what is written behind them.

CAMPAIGN, TASK and what stands in braces are given in this order; what an operation takes besides is written as key=value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

TABLE = """
me                     GET    /me                                     the user of the token
new list               GET    /new                                    what is new for you, of the last 30 days
campaign list          LIST   /campaigns                              the campaigns that you may see
campaign show          GET    /CAMPAIGN                               its call, tasks and agreements
campaign create        POST   /campaigns                              slug=, title=, ...: a draft
campaign settings      GET    /CAMPAIGN/settings                      all settings that can be changed
campaign change        PATCH  /CAMPAIGN/settings                      change the fields that are sent
campaign open          POST   /CAMPAIGN/open                          show it to everybody (--yes)
campaign state         GET    /CAMPAIGN/state                          what can be done with it now, and the consequences
campaign close         POST   /CAMPAIGN/state +act=close               stop uploads and judging (--yes)
campaign reopen        POST   /CAMPAIGN/state +act=reopen              allow uploads and judging again (--yes)
campaign archive       POST   /CAMPAIGN/state +act=archive             make it read-only for everybody (--yes)
campaign unarchive     POST   /CAMPAIGN/state +act=unarchive           let organisers change it; it stays closed (--yes)
campaign delete        POST   /CAMPAIGN/delete                         address=: its slug once more (--yes)
campaign rounds        GET    /CAMPAIGN/rounds                         tasks by the rounds that follow each other
campaign mail          POST   /CAMPAIGN/mails                         teams[]=, subject=, text= (--yes)
notice list            LIST   /CAMPAIGN/notices                        the notices that you may see
notice write           POST   /CAMPAIGN/notices                        audience=, subject=, text=, [task=, batch=] (--yes)
question list          LIST   /TASK/questions                         yours, and those answered for everybody
question ask           POST   /TASK/questions                         text=, [shows_name=true]: ask the organisers
question answer        POST   /TASK/questions/{ID}/answer             text=, audience=asker or everybody, [seen=]
question withdraw      POST   /TASK/questions/{ID}/withdraw           one of yours without an answer
milestone list         GET    /CAMPAIGN/milestones                     dates besides deadlines
milestone add          POST   /CAMPAIGN/milestones                     label=, at=, [link=]
milestone change       PATCH  /CAMPAIGN/milestones/{ID}                change the fields that are sent
milestone remove       POST   /CAMPAIGN/milestones/{ID}/remove         (--yes)
people list            GET    /CAMPAIGN/people                        roles and open invitations
people invite          POST   /CAMPAIGN/people                        person=, role=assessor or organiser
people remove          DELETE /CAMPAIGN/people/{ROLE}/{USER}          take a role away
people withdraw        DELETE /CAMPAIGN/role-invitations/{ID}         withdraw an invitation
invitation list        GET    /me/role-invitations                    roles that you are invited to
invitation answer      POST   /me/role-invitations/{ID}               accept=true or false
trash list             GET    /trash                                   what you can restore
trash restore          POST   /trash/{KIND}/{ID}/restore               KIND: campaign or task
archive make           POST   /CAMPAIGN/archives                       [task=, documents=, people=] (--wait)
archive list           GET    /CAMPAIGN/archives                       the archives of a campaign
archive show           GET    /CAMPAIGN/archives/{ID}                  its state and checksums
archive download       SAVE   /CAMPAIGN/archives/{ID}/file             the zip
restoration send       SEND   /restorations                            FILE: an archive, which is checked (--wait)
restoration list       GET    /restorations                            archives that you sent
restoration show       GET    /restorations/{ID}                       its state, problems, what it holds
restoration confirm    POST   /restorations/{ID}/confirm               [slug=]: restore it (--wait)
restoration discard    POST   /restorations/{ID}/discard               nothing of it is restored
agreement list         GET    /CAMPAIGN/agreement-texts               current and earlier agreements
agreement create       POST   /CAMPAIGN/agreement-texts               title=, text=
agreement replace      PUT    /CAMPAIGN/agreement-texts/{ID}          title=, text=: teams must accept it anew
agreement retire       POST   /CAMPAIGN/agreement-texts/{ID}/retire   ask no team for it any more (--yes)
team list              LIST   /CAMPAIGN/registrations                 state=, search=, runs=
team create            POST   /teams                                  name=: a team with you as its member
team register          POST   /CAMPAIGN/registrations                 team=, agreements:=[1]: register one of your teams
team decide            POST   /CAMPAIGN/registrations/{TEAM}/decision state=approved or refused, note=
team allowance         GET    /TASK/allowances/{TEAM}                 what a team may submit
team allow             PUT    /TASK/allowances/{TEAM}                 extra_runs=, closes_at=, reason=
task list              LIST   /CAMPAIGN/tasks                         the tasks that you may see
task show              GET    /TASK                                   rules, deadline, questions
task create            POST   /CAMPAIGN/tasks                         slug=, title=, judging_mode=, ...
task settings          GET    /TASK/settings                          all settings that can be changed
task change            PATCH  /TASK/settings                          what is sent (--yes where scores change)
task phase             POST   /TASK/phase                             phase=runs, ... (--yes)
task guidelines        GET    /TASK/guidelines                         guidelines and labels of grades, with their SHA-256
task correct           PATCH  /TASK/guidelines                         guidelines=, grades:=[...], reason=, note=, seen_sha256=
task delete            POST   /TASK/delete                             address=: its slug once more; in its set-up (--yes)
task round             POST   /TASK/rounds                             slug=, title=, round_kind=: the next round
task judged-before     GET    /TASK/judged-before                      what a residual round leaves out
task fix-judged        POST   /TASK/judged-before                      fix what it leaves out, before the round opens (--wait)
topics list            LIST   /TASK/topics                            the topics with all their text
topics download        SAVE   /TASK/topic-files/{FORMAT}              FORMAT: trec, xml, tsv or jsonl
topics upload          SEND   /TASK/imports/topics                    FILE [replace=true, number_from=, ...]; --yes
topics texts           GET    /TASK/topics/{TOPIC}/texts               the texts of one, with their SHA-256
topics correct         PATCH  /TASK/topics/{TOPIC}/texts               title=, ..., reason=, note=, seen_sha256=
topics scoring         POST   /TASK/topics/{TOPIC}/scoring             act=remove, put_back or delete, reason=, note= (--yes)
documents list         LIST   /TASK/documents                         search=
documents download     SAVE   /TASK/document-files/{FORMAT}           FORMAT: jsonl or trec; all texts, gzip
documents docnos       SAVE   /TASK/docnos                            the document numbers, gzip
documents upload       SEND   /TASK/imports/documents                 FILE [docnos_only=true, encoding=, ...]; --yes imports it
documents texts        GET    /TASK/document-texts/{DOCNO}             the texts of one, with their SHA-256
documents correct      PATCH  /TASK/document-texts/{DOCNO}             title=, text=, reason=, note=, seen_sha256=
import list            LIST   /TASK/imports                           kind=
import show            GET    /TASK/imports/{ID}                      state, problems, preview
import check           POST   /TASK/imports/{ID}/check                options.encoding=, ...: check the file again with them
import confirm         POST   /TASK/imports/{ID}/confirm              import what was checked
import discard         POST   /TASK/imports/{ID}/discard              nothing of it is imported
job list               LIST   /TASK/jobs                              the jobs of the task
job show               GET    /TASK/jobs/{ID}                         the progress of one job
run list               LIST   /TASK/runs                              state=, team=, problems=, ...
run show               GET    /TASK/runs/{TAG}                        its state and receipt
run submit             SEND   /TASK/runs                              FILE team= [tag=, replace=true, ...]
run earlier            GET    /TASK/earlier-runs                       runs of the round before that you can resubmit
run resubmit           POST   /TASK/earlier-runs                       tags[]=: submit these runs to this round
run problems           LIST   /TASK/runs/{TAG}/problems               what the check found
run download           SAVE   /TASK/runs/{TAG}/file                   the bytes as they were sent
run decide             POST   /TASK/runs/{TAG}/decision               decision=reject, accept or reinstate, reason=
run withdraw           POST   /TASK/runs/{TAG}/withdraw               withdraw it: it does not count any more
run links              PATCH  /TASK/runs/{TAG}/links                   paper_url=https://... code_url=https://...
run rank               PUT    /TASK/runs/{TAG}/ranked                  is_ranked:=true or false: of your team
run check              POST   /TASK/runs/{TAG}/check                  check it again by the current rules
run check-all          POST   /TASK/check-runs                        check all runs again by the current rules
run scores             GET    /TASK/runs/{TAG}/scores                 its scores by measure and topic
pool strategies        GET    /pool-strategies                        the strategies and their settings
pool preview           POST   /TASK/pool-preview                      strategy=, settings.depth=, ...
pool freeze            POST   /TASK/pools                             the same settings (--yes)
pool list              LIST   /TASK/pools                             the versions
pool show              GET    /TASK/pools/{VERSION}                   one version
pool download          SAVE   /TASK/pools/{VERSION}/file              topic and docno in judging order
pool docnos            SAVE   /TASK/pools/{VERSION}/docnos            without_text=true: whose texts are missing
pool upload            SEND   /TASK/imports/pool                      FILE [match_topics=true, ...]; --yes freezes it
pool completeness      GET    /TASK/pools/{VERSION}/completeness       estimates of what it missed
pool reread            POST   /TASK/pools/{VERSION}/completeness       read the pooled runs again, after a failure
pool topics            LIST   /TASK/pools/{VERSION}/topics             the progress of each topic of a growing pool
pool choices           SAVE   /TASK/pools/{VERSION}/choices            the log of choices of a growing pool
pool stop              POST   /TASK/pools/{VERSION}/topics/{TOPIC}/stop reason=: choose nothing more for a topic
pool go-on             POST   /TASK/pools/{VERSION}/topics/{TOPIC}/go-on more=, reason=: choose more for a stopped topic
assign topics          POST   /TASK/judging/assignments               assessor=, topics[]=
assign distribute      POST   /TASK/judging/plans/distribute          assessors[]=; --yes does it
assign overlap         POST   /TASK/judging/plans/overlap             assessors[]=, percent=; --yes does it
assign repeats         POST   /TASK/judging/plans/repeats             percent=; --yes does it
assign list            LIST   /TASK/judging/assignments               the assignments with their progress
assign remove          DELETE /TASK/judging/assignments/{ID}          remove one in which nothing is judged
assign progress        GET    /TASK/judging/progress                  the progress of the whole task
assign rules           PATCH  /TASK/judging/rules                     due_on=, topics_are_open=, ...
disagreement list      LIST   /TASK/judging/disagreements              show=open, decided or all, topic=
disagreement show      GET    /TASK/judging/disagreements/{TOPIC}/{DOCNO} all judgments of a document, and the decision
disagreement decide    POST   /TASK/judging/decisions                  uuid=, topic=, docno=, grade:=, seen[]=, [previous=, note=]
disagreement withdraw  POST   /TASK/judging/decisions/withdraw         uuid=, topic=, docno=, previous=
judge agreement        GET    /TASK/judging/agreement                  how far assessors agree
model list             LIST   /TASK/model-assessors                    the models, with their number of graded documents
model declare          POST   /TASK/model-assessors                    name=, version=, family=, prompt_sha256=: shows its token
model token            POST   /TASK/model-assessors/{ID}/token         make a new token; the old one stops working
model revoke           POST   /TASK/model-assessors/{ID}/revoke        make its token stop working
model grades           SAVE   /TASK/model-assessors/{ID}/grades        its grades as qrels
preference show        GET    /TASK/preferences                        who compares which topics, and which can be compared
preference start       POST   /TASK/preferences                        topics[]=, assessors[]=, [best=, control_percent=]
preference remove      DELETE /TASK/preferences/{ID}                   remove one in which nothing is compared
preference release     POST   /TASK/preference-orders                  [note=]: the answers so far
preference list        LIST   /TASK/preference-orders                  the released orders
preference download    SAVE   /TASK/preference-orders/{VERSION}/file   topic, docno, level
preference manifest    GET    /TASK/preference-orders/{VERSION}/manifest the sources of an order
judge list             LIST   /TASK/assignments                       your own topics
judge documents        POST   /TASK/assignments/{ID}/next-documents   [limit=]
judge submit           JUDGE  /TASK/assignments/{ID}/judgments        FILE of lines {"docno": ..., "grade": ...}
compare list           LIST   /TASK/comparisons                       your own topics to compare
compare next           POST   /TASK/comparisons/{ID}/next-pair         two documents with their texts
compare submit         POST   /TASK/comparisons/{ID}/preferences       preferences:=[{"uuid":, "left":, "right":, "answer":}]
compare undo           POST   /TASK/comparisons/{ID}/undo              take your last answer back
judge upload           SEND   /TASK/imports/judgments                 FILE of several assessors; --yes imports it
qrels draft            GET    /TASK/qrels-draft                       what a release would hold
qrels release          POST   /TASK/qrels                             policy=, note=, ... (--yes)
qrels show             POST   /TASK/qrels/{VERSION}/show               show it to everybody who sees the task (--yes)
qrels upload           SEND   /TASK/imports/qrels                     FILE [note=, set_name=, ...]; --yes releases it
qrels list             LIST   /TASK/qrels                             the versions
qrels download         SAVE   /TASK/qrels/{VERSION}/file              topic, 0, docno, grade
qrels beir             SAVE   /TASK/qrels/{VERSION}/beir               documents, topics and qrels as BEIR has them
qrels ir-datasets      SAVE   /TASK/qrels/{VERSION}/ir-datasets        the Python module that ir_datasets loads
score start            POST   /TASK/scoring                           score the runs that are not scored yet
score status           GET    /TASK/scoring                           --wait until the board is current
board show             GET    /TASK/working-board                     the scores before they are published
board settings         GET    /TASK/board-tests                       the significance tests of the board
board change           PATCH  /TASK/board-tests                       family=, test=, correction=, baseline=, margin=
feedback-topics show   GET    /TASK/feedback-topics                    whose scores teams see during the round
feedback-topics set    PUT    /TASK/feedback-topics                    topics[]=, or count:= and seed= (--yes)
board reliability      GET    /TASK/working-board/reliability          the report, once it is computed
board compute          POST   /TASK/working-board/reliability          compute that report
board curves           GET    /TASK/working-board/curves               precision by recall and by rank
publication preview    GET    /TASK/publication                       what each audience would see
leaderboard publish    POST   /TASK/leaderboards                      audience=, note=, licence=, terms= (--yes, --wait)
leaderboard list       LIST   /TASK/leaderboards                      the published boards
leaderboard show       GET    /TASK/leaderboards/{NUMBER}             one board with all its numbers
leaderboard reliability GET   /TASK/leaderboards/{NUMBER}/reliability  the report, once it is computed
leaderboard compute    POST   /TASK/leaderboards/{NUMBER}/reliability  compute that report
leaderboard curves     GET    /TASK/leaderboards/{NUMBER}/curves       precision by recall and by rank
"""
RENAMED = {
    "campaign act": "campaign close, campaign reopen, campaign archive or campaign unarchive",
    "deleted list": "trash list",
    "deleted restore": "trash restore",
    "team found": "team create",
    "run again": "run resubmit",
    "score board": "board show",
    "score tests": "board change",
    "score feedback": "feedback-topics show",
    "score choose": "feedback-topics set",
    "publish look": "publication preview",
    "publish board": "leaderboard publish",
    "publish list": "leaderboard list",
    "publish show": "leaderboard show",
}
"""The commands of 1.0.0 that have another name now."""
METHODS = {"GET", "LIST", "POST", "PUT", "PATCH", "DELETE", "SEND", "SAVE", "JUDGE"}
PLACE = re.compile(r"\bCAMPAIGN\b|\bTASK\b|\{[A-Z]+\}")


class CommandError(Exception):
    """What is written cannot be understood; the message says what is meant."""


@dataclass(frozen=True)
class Command:
    """`method`: that of HTTP, or LIST for a list in pages, SEND for a file as a form, SAVE for a file of the site, JUDGE.

    `sent`: what it always sends, as key=value.
    """

    group: str
    action: str
    method: str
    address: str
    sent: list[str]
    help: str

    @property
    def places(self) -> list[str]:
        return [name.strip("{}") for name in PLACE.findall(self.address)]

    @property
    def takes_file(self) -> bool:
        return self.method in ("SEND", "JUDGE")

    def path(self, given: list[str]) -> str:
        left = iter(given)
        return PLACE.sub(lambda place: _step(place.group(), next(left)), self.address)


def commands() -> Iterator[Command]:
    for line in TABLE.strip().splitlines():
        words = line.split()
        at = next(place for place, word in enumerate(words) if word in METHODS)
        names, method, address, more = words[:at], words[at], words[at + 1], words[at + 2 :]
        sent = [word[1:] for word in more if word.startswith("+")]
        yield Command(names[0], " ".join(names[1:]), method, address, sent, " ".join(more[len(sent) :]))


def _step(place: str, value: str) -> str:
    if place == "CAMPAIGN":
        return f"campaigns/{quote(value, safe='')}"
    if place == "{TOPIC}":
        return quote(value.replace("~", "~0").replace("/", "~1"), safe="")
    if place != "TASK":
        return quote(value, safe="")
    campaign, slash, task = value.partition("/")
    if not slash or "/" in task or not (campaign and task):
        raise CommandError(f"“{value}” is no task: write campaign/task.")
    return f"campaigns/{quote(campaign, safe='')}/tasks/{quote(task, safe='')}"


def fields(pairs: list[str]) -> dict[str, Any]:
    """What is written as key=value, as the object that is sent.

    >>> fields(["title=Cycling", "settings.depth:=20", "topics[]=1", "topics[]=2"])
    {'title': 'Cycling', 'settings': {'depth': 20}, 'topics': ['1', '2']}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or not key.strip(":[]"):
            raise CommandError(f"“{pair}” is not understood: write key=value.")
        _put(found, key.rstrip(":"), _value(key, text))
    return found


def _value(key: str, text: str) -> Any:
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise CommandError(f"{key}: {text[1:]} cannot be read ({problem}).") from None
    if not key.endswith(":"):
        return text
    try:
        return json.loads(text, object_pairs_hook=with_single_keys)
    except ValueError as problem:
        raise CommandError(f"{key}={text[:60]} is no JSON: {problem}.") from None


def with_single_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values; CommandError where a key stands twice, of which Python would keep the last value.

    >>> with_single_keys([("grade", 1), ("grade", 2)])
    Traceback (most recent call last):
    runpool.client.commands.CommandError: “grade” stands more than once in one JSON object. Keep one of them.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise CommandError(f"“{key[:60]}” stands more than once in one JSON object. Keep one of them.")
        found[key] = value
    return found


def _put(found: dict[str, Any], key: str, value: Any) -> None:
    *outer, last = key.split(".")
    for name in outer:
        found = found.setdefault(name, {})
        if not isinstance(found, dict):
            raise CommandError(f"{key}: {name} has a value already.")
    if last.endswith("[]"):
        found.setdefault(last[:-2], []).append(value)
    else:
        found[last] = value
