// The documents of one assignment with the assessor's judgments; equal to the server's state once the outbox is empty.
const ENTERED = ["verdict", "grade", "note", "answers", "reason", "flagged"];
const JUDGED = new Set(["graded", "cannot_judge"]);
const MOST_UNDOABLE = 200;

// What was entered of a document, as the next act may have to restore it.
export function entered(item) { return Object.fromEntries(ENTERED.map((name) => [name, item[name] ?? null])); }

export class List {
  // `undoable`: acts that can be taken back, the oldest first: uuid, docno, and what was entered before.
  constructor(items, { history, undoable }, skipped) {
    this.items = items;
    this.undoable = undoable;
    this.places = new Map(items.map((item, place) => [item.docno, place]));
    this.history = history.filter((docno) => this.places.has(docno));
    this.skipped = skipped.filter((docno) => this.places.has(docno) && !this.item(docno).verdict);
  }

  placeOf(docno) { return (this.places.get(docno) ?? -1) + 1 || null; }
  item(docno) { return this.items[this.places.get(docno)]; }
  get total() { return this.items.length; }
  get judged() { return this.items.filter((item) => item.verdict).length; }
  get last() { return this.history.at(-1) ?? null; }
  get lastAct() { return this.undoable.findLast((act) => this.places.has(act.docno)) ?? null; }

  // An act as the outbox holds it.
  apply(act) {
    const item = this.item(act.docno);
    if (!item) return;
    const isJudged = JUDGED.has(act.verdict), before = entered(item);
    this.remember(act, isJudged, before);
    if (act.verdict !== "draft") this.skipped = this.skipped.filter((docno) => docno !== act.docno);
    this.history = this.history.filter((docno) => docno !== act.docno);
    if (isJudged) this.history.push(act.docno);
    for (const name of ENTERED) item[name] = act[name] ?? null;
    item.verdict = isJudged ? act.verdict : "";
    item.at = act.judged_at;
    item.takenBack = act.undoes ? before : null;
  }

  // What can be taken back after the act.
  remember({ uuid, docno, undoes }, isJudged, before) {
    if (undoes) this.undoable = this.undoable.filter((one) => one.uuid !== undoes);
    else if (isJudged) this.undoable = [...this.undoable, { uuid, docno, before }].slice(-MOST_UNDOABLE);
  }

  // What is judged already does not come back.
  skip(docno) { if (!this.item(docno).verdict) this.skipped = [...this.skipped.filter((other) => other !== docno), docno]; }

  // The documents to judge after `docno`: unjudged ones from there on and then from the start, skipped ones last.
  coming(docno) {
    const start = (this.places.get(docno) ?? -1) + 1;
    const order = [...this.items.slice(start), ...this.items.slice(0, start)];
    const skipped = new Set(this.skipped);
    const open = order.filter((item) => !item.verdict && item.docno !== docno).map((item) => item.docno);
    return [...open.filter((one) => !skipped.has(one)), ...this.skipped.filter((one) => one !== docno)];
  }

  // What a growing pool hands out now: new documents come last, and what others were given goes, but for the one shown.
  // `earlier` are judgments that were made elsewhere of documents that have become part of the pool.
  grow({ waiting, earlier }, shown) {
    const handed = new Set(waiting);
    const stays = ({ docno, verdict, takenBack }) => verdict || takenBack || handed.has(docno) || docno === shown;
    this.items = this.items.filter(stays);
    const known = new Set(this.items.map((item) => item.docno));
    const added = [...earlier, ...waiting.map((docno) => ({ docno }))];
    this.items.push(...added.filter((item) => !known.has(item.docno)));
    this.places = new Map(this.items.map((item, place) => [item.docno, place]));
    this.skipped = this.skipped.filter((docno) => this.places.has(docno));
  }

  neighbour(docno, step) { return this.items[this.places.get(docno) + step]?.docno ?? null; }
}
