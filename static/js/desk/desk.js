// The judging desk: one key press grades and saves a document and shows the next. Joins the other modules of this folder.
import { Acts } from "./acts.js";
import { Answers } from "./answers.js";
import { Clock } from "./clock.js";
import { Documents } from "./documents.js";
import { Growth } from "./growth.js";
import { Contradictions } from "./contradictions.js";
import { List } from "./list.js";
import { Marks } from "./marks.js";
import { recall, remember } from "./memory.js";
import { Status } from "./status.js";
import { View } from "./view.js";
import { openOutbox } from "./outbox.js";

const NOWHERE = {
  previous: "This is the first document.", following: "This is the last document.", unjudged: "No other document is left to judge.",
};
const BOUNCE = 80;  // ms; a press so soon after a document has come was meant for the one before
const data = JSON.parse(document.getElementById("desk-data").textContent);
const skippedKey = `runpool-skipped:${data.assignment}`;

const clock = new Clock(data.serverTime);
const list = new List(data.items, data, JSON.parse(recall(skippedKey) ?? "[]"));
const documents = new Documents({ url: data.documentsUrl, assignment: data.assignment, terms: data.terms });
const view = new View(data);
const status = new Status(data, list.judged, (docno) => show(docno));
const marks = new Marks(data, { onWords: (own) => { documents.markOwn(own); redraw(); }, onPause: () => inTurn(keep), now: () => clock.now() });

let current = null;
let since = 0;
let work = Promise.resolve();
const trail = [];
let wanted = null;
let fetchingAgain = null;
let emptyText = null;

// Presses are worked off one after the other: none is lost while another one is being stored.
function inTurn(task) {
  work = work.then(task).catch((error) => status.warn({ kind: "storage", message: String(error) }));
  return work;
}

const outbox = await openOutbox(data.assessor);
for (const entry of outbox.entries) if (entry.assignment === data.assignment && !entry.refused) list.apply(entry.act);
outbox.addEventListener("change", (event) => {
  status.show(outbox, event.detail);
  if (!event.detail) return;
  grow(event.detail);
  tabs?.postMessage({ detail: event.detail });
});

const growth = new Growth(data.growth, async () => {
  if (outbox.waiting.length) return false;  // their answer brings documents
  const problem = await outbox.ask(data.submitUrl, data.assignment);
  if (problem) status.warn(problem);
  return !problem;
});
list.isOpen = growth.isOpen;

// Tabs of one assessor on the same topic show each other's judgments at once.
const tabs = globalThis.BroadcastChannel ? new BroadcastChannel(`runpool-desk:${data.assignment}`) : null;
tabs?.addEventListener("message", ({ data: { act, detail } }) => {
  if (detail) { status.show(outbox, detail); grow(detail); }
  if (!act) return;
  list.apply(act);
  view.history(list);
  if (act.docno !== current) return;
  view.scale(list.item(current));
  marks.show(list.item(current));
});

const acts = new Acts({ data, list, view, marks, documents, clock, status, outbox, tabs });
const keep = () => acts.keep(current);
const contradictions = new Contradictions(data.contradictions);

function keepFirstDocument() {
  if (!data.shown) return;
  const page = view.article.querySelector(".desk-page");
  const text = page.querySelector(".document-text");
  const title = page.querySelector("h2")?.textContent ?? "";
  const link = page.querySelector(".notice a")?.href;
  const alike = [...page.querySelectorAll("[data-alike]")].map((named) => named.dataset.alike);
  documents.keep({ docno: data.shown, title, text: text?.textContent ?? "", has_text: Boolean(text), link, alike });
}

function redraw() {
  if (!current) return;
  view.document(current, documents.page(current));
  view.alike(documents.alikeOf(current).map((one) => list.item(one)));
  marks.countHits();
}

function display(docno) {
  current = docno;
  const item = list.item(docno);
  view.document(docno, documents.page(docno));
  view.alike(documents.alikeOf(docno).map((one) => list.item(one)));
  view.scale(item);
  view.takenBack(item);
  marks.show(item);
  clock.start();
  since = performance.now();
  prefetch();
}

function prefetch() {
  clearTimeout(fetchingAgain);
  documents.prefetch(list.coming(current)).catch(() => {
    clearTimeout(fetchingAgain);
    fetchingAgain = setTimeout(prefetch, 5_000);
  });
}

// The documents that a growing pool hands out now; one of them is shown at once if the desk waits for it.
function grow({ assignment, growth: state }) {
  if (!state || assignment !== data.assignment) return;
  growth.take(state);
  list.isOpen = growth.isOpen;
  list.grow(state, current ?? wanted);
  view.history(list);
  if (current || wanted) prefetch();
  else show(list.coming(null)[0]);
}

function finish() {
  current = null;
  growth.wait();
  const text = data.growth ? growth.text : data.done;
  const shown = growth.takesLong ? `${text} This takes longer than usual.` : text;
  if (emptyText === shown) return;
  emptyText = shown;
  const actions = [["My topics", data.topicsUrl, !data.next]];
  if (data.next) actions.unshift([`Go on with topic ${data.next.number}`, data.next.url, true]);
  view.document(null, view.message(shown, ...actions));
  view.scale(null);
  marks.show(null);
  view.announce(shown);
}

async function show(docno, { isKept = false } = {}) {
  if (current && current !== docno) {
    if (!isKept) await keep();
    trail.push(current);
  }
  wanted = docno;
  if (!docno) { finish(); return; }
  growth.stop();
  growth.asked = 0;
  emptyText = null;
  if (documents.has(docno)) arrive(docno);
  else fetchAndShow(docno);
}

function arrive(docno) {
  display(docno);
  history.replaceState(null, "", data.deskUrl);
}

async function fetchAndShow(docno) {
  current = null;
  view.scale(null);
  view.document(null, view.message(`Fetching ${docno} …`));
  try {
    await documents.load(docno);
  } catch {
    if (wanted !== docno) return;
    setTimeout(() => { if (wanted === docno) fetchAndShow(docno); }, 2_000);
    view.document(null, view.message(`${docno} is not here yet: it comes when the connection is back.`));
    return;
  }
  if (wanted === docno) arrive(docno);
}

// What is announced of a document: its title, or its docno where it has none, and how much is left to do.
function inWords(docno) {
  const left = list.total - list.judged;
  return `${documents.titleOf(docno) || docno}, ${list.isOpen ? `${left} left so far` : `${left} of ${list.total} left`}`;
}

async function judge(verdict, grade, reason = "") {
  const docno = current;
  if (!docno) return;
  if (performance.now() - since < BOUNCE) {
    tell(`That was too quick: nothing was noted of ${docno}, which had only just come. Press again.`);
    return;
  }
  const question = verdict === "graded" && contradictions.question(docno, grade, acts.written.answers);
  if (question) { tell(question); return; }
  if (!await acts.judge(docno, { verdict, grade, reason })) return;
  const next = list.coming(docno)[0];
  await show(next);
  if (next) view.announce(`${verdict === "graded" ? data.labels[grade] : "cannot judge"}. Next: ${inWords(next)}`);
}

async function undo() {
  if (!await keep()) return;
  const docno = await acts.undo();
  if (!docno) return;
  await show(docno, { isKept: true });
  view.announce(`Taken back. Again: ${inWords(docno)}`);
}

// Instead of a move that is not possible.
function tell(text) {
  view.line(text);
  view.scroller().scrollTop = view.top();
  view.announce(text);
}

function skip() {
  if (!current) return;
  list.skip(current);
  remember(skippedKey, JSON.stringify(list.skipped));
  const next = list.coming(current)[0];
  if (next) show(next).then(() => view.announce(`Skipped. Next: ${inWords(next)}`));
  else if (list.judged < list.total) tell(`This is the only document ${list.isOpen ? "so far" : "left"}.`);
  else show(null);
}

function move(where) {
  if (!list.total) return;
  const from = current ?? wanted ?? list.last ?? list.items[0].docno;
  if (where === "back") { goBack(); return; }
  const docno = where === "unjudged" ? list.coming(from)[0] : list.neighbour(from, where === "previous" ? -1 : 1);
  if (docno) show(docno).then(() => view.announce(inWords(docno)));
  else tell(NOWHERE[where]);
}

async function goBack() {
  const docno = trail.pop();
  if (!docno || !list.item(docno)) { tell("No document was shown before this one."); return; }
  await show(docno);
  trail.pop();
  view.announce(inWords(docno));
}

async function handle(button) {
  if (button.name === "grade") await judge("graded", Number(button.value));
  else if (button.value === "cannot_judge" && reasons && current) reasons.showModal();
  else if (button.value === "cannot_judge") await judge("cannot_judge", null);
  else if (button.value === "flag") await flag();
  else if (button.value === "undo") await undo();
  else skip();
}

async function flag() {
  if (!current) return;
  view.flag(!view.flagged);
  if (await keep()) view.announce(view.flagged ? "Flagged" : "Not flagged any more");
}

view.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter;
  // With the keyboard alone and single keys switched off, the focus stays on the scale.
  const stays = document.activeElement === button && button.matches(":focus-visible");
  const how = wasKey ? "key" : "pointer";
  await inTurn(() => { acts.inputMethod = how; return handle(button); });
  if (!stays) view.focus();
});

const reasons = document.getElementById("cannot-judge-reasons");
reasons?.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-reason]");
  if (!chosen) return;
  reasons.close();
  inTurn(() => judge("cannot_judge", null, chosen.dataset.reason)).then(() => view.focus());
});

// Ticks are kept as they are made, like notes.
view.form.addEventListener("change", () => inTurn(keep));

document.addEventListener("click", (event) => {
  const mover = event.target.closest("[data-move]"), link = event.target.closest("#desk-history a");
  if (mover) inTurn(() => move(mover.dataset.move));
  if (link && !event.ctrlKey && !event.metaKey) { event.preventDefault(); inTurn(() => show(link.dataset.docno)); }
  if (mover || link || (Answers.isTick(event.target) && event.detail > 0)) view.focus();
});

addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("textarea, select, input:not([type=checkbox], [type=radio])");
  if (event.key !== "End" || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  event.preventDefault();
  view.toEnd();
});

let wasKey = false;
addEventListener("keydown", () => { wasKey = true; }, { capture: true });
addEventListener("pointerdown", () => { wasKey = false; }, { capture: true });

// A key that is held down judges once.
addEventListener("keydown", (event) => {
  if (!event.repeat || event.target.matches("textarea, select, input:not([type=checkbox], [type=radio])")) return;
  const isPress = event.target.matches("button, input") && (event.key === "Enter" || event.key === " ");
  const isShortcut = view.form.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key.toLowerCase())}"]`);
  if (isPress || isShortcut) event.preventDefault();
}, { capture: true });

// What waits stays in this browser, but only this browser can send it.
addEventListener("beforeunload", (event) => { if (outbox.waiting.length) event.preventDefault(); });
addEventListener("pagehide", () => { inTurn(keep); });

navigator.storage?.persist?.().catch(() => {});
keepFirstDocument();
view.history(list);
status.show(outbox, null);
const isAskedFor = new URLSearchParams(location.search).has("docno");
show(isAskedFor && data.shown ? data.shown : list.coming(null)[0]);
view.focus();
document.documentElement.dataset.desk = "ready";
