// What an assessor does at the desk becomes acts: each is stored in the outbox first, then shown.
import { entered } from "./list.js";
import { newUuid } from "./outbox.js";

// Controls in which nothing is entered say nothing.
function inText(answers) {
  const filled = Object.entries(answers ?? {}).map(([name, values]) => [name, values.filter(Boolean)]).filter(([, values]) => values.length);
  return JSON.stringify(filled.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export class Acts {
  constructor({ data, list, view, marks, documents, clock, status, outbox, tabs }) {
    Object.assign(this, { data, list, view, marks, documents, clock, status, outbox, tabs });
    this.inputMethod = "";
  }

  // Resolves to whether it is kept, by the browser or by the server.
  async record(docno, values) {
    const act = {
      uuid: newUuid(), docno, judged_at: this.clock.nextAct().toISOString(), input_method: this.inputMethod,
      topic_sha256: this.data.topicVersion, guidelines_sha256: this.data.guidelinesVersion, ...values,
    };
    try {
      await this.outbox.put(this.data.submitUrl, this.data.assignment, act);
    } catch (error) {
      this.status.warn({ kind: "storage", message: String(error) });
      return false;
    }
    this.list.apply(act);
    this.view.history(this.list);
    this.tabs?.postMessage({ act });
    return true;
  }

  // What the desk holds of the document shown, besides its grade.
  get written() {
    return { note: this.marks.note.value, answers: this.view.answers.read(), flagged: this.view.flagged };
  }

  shownHow(docno) {
    return {
      shown_at: this.clock.shownAt.toISOString(), active_ms: this.clock.stop(), away_ms: this.clock.away, extent: this.documents.extentOf(docno),
      position: this.list.placeOf(docno), text_sha256: this.documents.versionOf(docno),
    };
  }

  async judge(docno, values) {
    if (!await this.record(docno, { ...this.shownHow(docno), ...this.written, ...values })) return false;
    this.marks.taken(docno);
    return true;
  }

  // Notes, ticks and flags need no grade: they are stored as soon as the assessor pauses or goes elsewhere.
  async keep(docno) {
    const item = docno && this.list.item(docno);
    if (!item) return true;
    const now = this.written, before = entered(item);
    const isSame = now.note === (before.note ?? "") && now.flagged === Boolean(before.flagged) && inText(now.answers) === inText(before.answers);
    if (isSame) {
      this.marks.taken(docno);
      return true;
    }
    return this.judge(docno, { verdict: before.verdict || "draft", grade: before.grade, reason: before.reason ?? "" });
  }

  // Takes the last act back: what was entered before it counts again. Resolves to its document, or null.
  async undo() {
    const last = this.list.lastAct;
    if (!last) return null;
    const { note, answers, flagged } = entered(this.list.item(last.docno));
    const open = { verdict: "withdrawn", grade: null, note, answers, flagged };
    const restored = last.before.verdict ? entered(last.before) : open;
    const values = {
      ...restored, note: restored.note ?? "", answers: restored.answers ?? {}, flagged: Boolean(restored.flagged),
      reason: restored.reason ?? "", undoes: last.uuid,
    };
    return await this.record(last.docno, values) ? last.docno : null;
  }
}
