// The note of a document, kept as a draft until it goes with a grade, and the assessor's own words to mark.
import { forget, recall, remember } from "./memory.js";

export class Marks {
  constructor(data, { onWords }) {
    this.prefix = `runpool-draft:${data.assignment}:`;
    this.wordsKey = `runpool-words:${data.assignment}`;
    this.note = document.getElementById("desk-note");
    this.words = document.getElementById("desk-words");
    this.hits = document.getElementById("desk-hits");
    this.article = document.getElementById("document");
    this.docno = null;
    this.hit = -1;
    document.getElementById("desk-highlight").hidden = false;
    this.words.value = recall(this.wordsKey) ?? "";
    this.note.addEventListener("input", () => this.draft(this.docno, this.note.value));
    this.words.addEventListener("change", () => {
      remember(this.wordsKey, this.words.value);
      onWords(this.own);
    });
    this.words.addEventListener("keydown", (event) => { if (event.key === "Enter") this.words.blur(); });
    document.getElementById("desk-hit").addEventListener("click", () => this.nextHit());
    for (const field of [this.note, this.words]) {
      field.addEventListener("blur", () => setTimeout(() => {
        if (document.activeElement === document.body) this.article.focus({ preventScroll: true });
      }));
    }
  }

  get own() { return this.words.value.trim().split(/[\s,;]+/).filter(Boolean); }

  show(item) {
    this.docno = item?.docno ?? null;
    this.note.disabled = !item;
    this.note.value = item ? recall(this.prefix + item.docno) ?? item.note ?? "" : "";
    this.countHits();
  }

  draft(docno, text) { remember(this.prefix + docno, text); }
  taken(docno) { forget(this.prefix + docno); }

  countHits() {
    this.marks = [...this.article.querySelectorAll("mark")];
    this.hit = -1;
    this.hits.textContent = this.marks.length ? `${this.marks.length} marked` : "no marked word";
  }

  nextHit() {
    if (!this.marks.length) return;
    this.marks[this.hit]?.classList.remove("is-here");
    this.hit = (this.hit + 1) % this.marks.length;
    this.marks[this.hit].classList.add("is-here");
    this.marks[this.hit].scrollIntoView({ block: "center" });
    this.hits.textContent = `${this.hit + 1} of ${this.marks.length} marked`;
  }
}
