// The note of a document, kept as a draft until it is stored, and the assessor's own words to mark.
import { MOST } from "./body.js";
import { forget, recall, remember } from "./memory.js";
import { ownTerms } from "./words.js";

const PAUSE = 1_500;  // ms without a key after which a note is stored

export class Marks {
  constructor(data, { now, onWords, onPause }) {
    this.now = now;
    this.prefix = `runpool-draft:${data.assignment}:`;
    this.wordsKey = `runpool-words:${data.assignment}`;
    this.note = document.getElementById("desk-note");
    this.words = document.getElementById("desk-words");
    this.hits = document.getElementById("desk-hits");
    this.article = document.getElementById("document");
    this.docno = null;
    this.hit = -1;
    for (const id of ["desk-note-help", "desk-highlight"]) document.getElementById(id).hidden = false;
    this.words.value = recall(this.wordsKey) ?? "";
    this.note.addEventListener("input", () => {
      this.draft(this.docno, this.note.value);
      clearTimeout(this.pause);
      this.pause = setTimeout(onPause, PAUSE);
    });
    this.note.addEventListener("change", onPause);
    this.words.addEventListener("change", () => {
      remember(this.wordsKey, this.words.value);
      onWords(this.own);
    });
    this.words.addEventListener("focus", () => this.words.select());
    this.words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      this.words.blur();  // what was typed is marked by this
      if (this.ownMarks.length) this.goToHit(1);
      else this.countHits();
    });
    document.getElementById("desk-hit").addEventListener("click", () => this.goToHit(1));
    document.getElementById("desk-hit-before").addEventListener("click", () => this.goToHit(-1));
    for (const field of [this.note, this.words]) {
      field.addEventListener("blur", () => setTimeout(() => {
        if (document.activeElement === document.body) this.article.focus({ preventScroll: true });
      }));
    }
  }

  get own() { return ownTerms(this.words.value); }

  show(item) {
    this.docno = item?.docno ?? null;
    this.note.disabled = !item;
    this.note.value = item ? this.newerDraft(item) ?? item.note ?? "" : "";
    this.countHits();
  }

  // What was typed here and not stored, unless something newer is, which may come from another device.
  newerDraft(item) {
    const [at, text] = JSON.parse(recall(this.prefix + item.docno) ?? "[]");
    return at === undefined || (item.at && item.at > at) ? null : text;
  }

  draft(docno, text) { remember(this.prefix + docno, JSON.stringify([this.now().toISOString(), text])); }
  taken(docno) { forget(this.prefix + docno); }

  // The assessor's own words come first, then those of the topic.
  countHits() {
    const marks = [...this.article.querySelectorAll("mark")];
    this.ownMarks = marks.filter((mark) => mark.classList.contains("own"));
    this.marks = [...this.ownMarks, ...marks.filter((mark) => !mark.classList.contains("own"))];
    this.hit = -1;
    for (const mark of this.marks) mark.classList.remove("is-here");
    const own = this.own.length ? [`${this.count("own")} of yours`] : [];
    const ofTopic = this.marks.length ? [`${this.count("ofTopic")} of the topic`] : [];
    this.hits.textContent = [...own, ...ofTopic].join(", ") || "no marked word";
  }

  count(kind) {
    const count = kind === "own" ? this.ownMarks.length : this.marks.length - this.ownMarks.length;
    return count >= MOST[kind] ? `the first ${count}` : String(count);
  }

  // `step`: 1 for the next marked word, -1 for the one before.
  goToHit(step) {
    if (!this.marks.length) return;
    this.marks[this.hit]?.classList.remove("is-here");
    const start = this.hit < 0 && step < 0 ? 0 : this.hit;
    this.hit = (start + step + this.marks.length) % this.marks.length;
    this.marks[this.hit].classList.add("is-here");
    this.marks[this.hit].scrollIntoView({ block: "center" });
    const own = this.ownMarks.length, isOwn = this.hit < own;
    this.hits.textContent = isOwn ? `${this.hit + 1} of ${this.count("own")} of yours` : `${this.hit - own + 1} of ${this.count("ofTopic")} of the topic`;
  }
}
