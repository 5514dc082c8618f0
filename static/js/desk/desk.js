// The judging desk: one key press grades and saves a document and shows the next. Joins the other modules of this folder.
import { Acts } from "./acts.js";
import { keepFocus } from "./body.js";
import { Clock } from "./clock.js";
import { Commands } from "./commands.js";
import { Contradictions } from "./contradictions.js";
import { Documents } from "./documents.js";
import { openFolds, rememberFolds } from "./folds.js";
import { Growth } from "./growth.js";
import { listen } from "./inputs.js";
import { List } from "./list.js";
import { Marks } from "./marks.js";
import { recall } from "./memory.js";
import { listenToOwnList } from "./own-list.js";
import { Status } from "./status.js";
import { View } from "./view.js";
import { Walk } from "./walk.js";
import { openOutbox } from "./outbox.js";

const data = JSON.parse(document.getElementById("desk-data").textContent);
const skippedKey = `runpool-skipped:${data.assignment}`;

const clock = new Clock(data.serverTime);
const list = new List(data.items, data, JSON.parse(recall(skippedKey) ?? "[]"));
const documents = new Documents({
  url: data.documentsUrl, assignment: data.assignment, terms: data.terms, passageFirst: data.passageFirst,
  fullKey: data.fullKey, keyElsewhere: data.keyElsewhere,
});
const view = new View(data);
rememberFolds(data.assessor);
openFolds();
const status = new Status(data, list.judged, (docno) => walk.show(docno));
const marks = new Marks(data, { onWords: (own) => { documents.markOwn(own); walk.redraw(); }, onPause: () => inTurn(walk.keep), now: () => clock.now() });
const walk = new Walk({ data, list, documents, view, marks, clock, skippedKey, keep: () => acts.keep(walk.current) });

let work = Promise.resolve();

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
  walk.grow(event.detail);
  tabs?.postMessage({ detail: event.detail });
});

const growth = new Growth(data.growth, async () => {
  if (outbox.waiting.length) return false;  // their answer brings documents
  const problem = await outbox.ask(data.submitUrl, data.assignment);
  if (problem) status.warn(problem);
  return !problem;
});
list.isOpen = growth.isOpen;
walk.growth = growth;

// Tabs of one assessor on the same topic show each other's judgments at once.
const tabs = globalThis.BroadcastChannel ? new BroadcastChannel(`runpool-desk:${data.assignment}`) : null;
tabs?.addEventListener("message", ({ data: { act, detail } }) => {
  if (detail) { status.show(outbox, detail); walk.grow(detail); }
  if (!act) return;
  list.apply(act);
  view.history(list);
  if (act.docno !== walk.current) return;
  view.scale(list.item(walk.current));
  marks.show(list.item(walk.current));
});

const acts = new Acts({ data, list, view, marks, documents, clock, status, outbox, tabs });

const commands = new Commands({ data, list, view, walk, acts, contradictions: new Contradictions(data.contradictions), inTurn });
listenToOwnList({ data, outbox, inTurn, walk });
listen({ view, walk, acts, commands, outbox, inTurn });

navigator.storage?.persist?.().catch(() => {});
walk.keepFirstDocument();
keepFocus();
document.addEventListener("stray-key", ({ detail: letter }) => {
  const noteKey = marks.note.getAttribute("aria-keyshortcuts");
  const moved = letter === "m" && noteKey ? ` The note is at ${noteKey}.` : "";
  walk.tellInPlace(`You typed outside a field: no grade was stored. Wait a second, then press the key again.${moved}`);
});
view.history(list);
status.show(outbox, null);
const isAskedFor = new URLSearchParams(location.search).has("docno");
walk.show(isAskedFor && data.shown ? data.shown : list.coming(null)[0]);
view.focus();
document.documentElement.dataset.desk = "ready";
