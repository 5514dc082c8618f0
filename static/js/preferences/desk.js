// The desk for pairs: one key says which of two documents is better, saves it and shows the next pair.
import { keepFocus } from "../desk/body.js";
import { Clock } from "../desk/clock.js";
import { Documents } from "../desk/documents.js";
import { newUuid, openOutbox } from "../desk/outbox.js";
import { Status } from "../desk/status.js";
import { PairView } from "./view.js";
import { Steps } from "./steps.js";

const BOUNCE = 80;  // ms; a press so soon after a pair has come was meant for the one before
const ASK_AGAIN = 3_000;
const data = JSON.parse(document.getElementById("desk-data").textContent);

const clock = new Clock(data.serverTime);
const documents = new Documents({ url: data.documentsUrl, assignment: data.assignment, terms: data.terms });
const view = new PairView(data);
const steps = new Steps(data);
const status = new Status(data, data.saved, () => redraw());
const outbox = await openOutbox(data.assessor);
const tabs = globalThis.BroadcastChannel ? new BroadcastChannel(`runpool-pairs:${data.assignment}`) : null;

let since = 0;
let work = Promise.resolve();
let shown = null;
let asking = null;
let wasKey = false;

// Presses are worked off one after the other: none is lost while another one is being stored.
function inTurn(task) {
  work = work.then(task).catch((error) => status.warn({ kind: "storage", message: String(error) }));
  return work;
}

const isMine = (entry) => entry.assignment === data.assignment && !entry.refused;
const waits = () => outbox.waiting.some(isMine);

for (const { act } of outbox.entries.filter(isMine)) steps.take(act);

outbox.addEventListener("change", ({ detail }) => {
  status.show(outbox, detail);
  const isOwn = detail?.assignment === data.assignment;
  if (isOwn) tabs?.postMessage(detail);
  if (isOwn && detail.growth && !waits()) inTurn(() => follow(detail.growth));
  else if (!waits() && steps.isUnknown) ask();
});

tabs?.addEventListener("message", ({ data: detail }) => {
  status.show(outbox, detail);
  if (!waits()) inTurn(() => follow(detail.growth));
});

// What the server says counts, once it has all answers of this browser.
async function follow(state) {
  if (waits()) return;
  steps.follow(state);
  await show();
}

// The answers of this desk were sent by another tab, or the connection is back: the server knows the next pair.
function ask() {
  clearTimeout(asking);
  asking = setTimeout(async () => {
    if (!steps.isUnknown || waits()) return;
    const problem = await outbox.ask(data.submitUrl, data.assignment);
    if (problem) { status.warn(problem); ask(); }
  }, shown === null ? 0 : ASK_AGAIN);
}

async function show() {
  const pair = steps.pair;
  view.undo(steps.last);
  if (!pair) {
    shown = null;
    if (steps.isUnknown) view.message("Choosing the next pair …");
    else view.finish(steps.done);
    if (steps.isUnknown && !waits()) ask();
    return;
  }
  view.count(pair.about);
  prefetch();
  if (shown?.left === pair.left && shown.right === pair.right) return;
  shown = null;
  if (![pair.left, pair.right].every((docno) => documents.has(docno))) {
    view.message("Fetching the documents …");
    await fetchPair(pair);
    return;
  }
  arrive(pair);
}

async function fetchPair(pair) {
  try {
    await Promise.all([documents.load(pair.left), documents.load(pair.right)]);
  } catch {
    view.message("The documents of this pair are not here yet: they come when the connection is back.");
    setTimeout(() => inTurn(() => (shown ? null : show())), ASK_AGAIN);
    return;
  }
  if (steps.pair === pair) arrive(pair);
}

function arrive(pair) {
  shown = pair;
  redraw();
  clock.start();
  since = performance.now();
}

function redraw() {
  if (shown) view.pair(documents.page(shown.left), documents.page(shown.right));
}

function prefetch() {
  documents.prefetch(steps.coming()).catch(() => {});  // asked for again with the next pair
}

async function record(values) {
  const act = { uuid: newUuid(), answered_at: clock.nextAct().toISOString(), input_method: wasKey ? "key" : "pointer", ...values };
  // By these the outbox orders and names what it keeps.
  Object.assign(act, { judged_at: act.answered_at, docno: `${act.left} and ${act.right}` });
  await outbox.put(data.submitUrl, data.assignment, act);
  steps.take(act);
}

async function answer(choice) {
  if (!shown) return;
  if (performance.now() - since < BOUNCE) {
    view.announce("That was too quick: no answer was stored for this pair, which had just appeared. Press again.");
    return;
  }
  const { left, right } = shown;
  const times = { shown_at: clock.shownAt.toISOString(), active_ms: clock.stop(), away_ms: clock.away };
  await record({ left, right, answer: choice, note: view.note.value, ...times });
  view.note.value = "";
  shown = null;
  await show();
  if (shown) view.announce(`Noted. Next pair: ${named(shown.left)} and ${named(shown.right)}, about ${shown.about} more`);
}

async function undo() {
  const last = steps.last;
  if (!last) return;
  await record({ left: last.left, right: last.right, undoes: last.uuid });
  shown = null;
  await show();
  view.announce("Taken back. The pair is shown again.");
}

const named = (docno) => documents.titleOf(docno) || docno;

view.form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const choice = event.submitter.value;
  await inTurn(() => (choice === "undo" ? undo() : answer(choice)));
});

addEventListener("keydown", () => { wasKey = true; }, { capture: true });
addEventListener("pointerdown", () => { wasKey = false; }, { capture: true });
// What waits stays in this browser, but only this browser can send it.
addEventListener("beforeunload", (event) => { if (outbox.waiting.length) event.preventDefault(); });

keepFocus();
navigator.storage?.persist?.().catch(() => {});
for (const page of view.pages()) documents.keep(page);
status.show(outbox, null);
await inTurn(show);
document.documentElement.dataset.desk = "ready";
