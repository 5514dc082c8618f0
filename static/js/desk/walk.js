// Which document is on the desk, and the ways from one to another.
import { bodyIn } from "./body.js";
import { remember } from "./memory.js";

const NOWHERE = {
  previous: "This is the first document.", following: "This is the last document.", unjudged: "No other document is left to judge.",
};

export class Walk {
  // `keep` stores what was entered of the document shown; it is called before another one comes.
  constructor({ data, list, documents, view, marks, clock, skippedKey, keep }) {
    Object.assign(this, { data, list, documents, view, marks, clock, skippedKey, keep });
    this.growth = null;
    this.current = null;
    this.wanted = null;
    this.since = 0;
    this.trail = [];
    this.fetchingAgain = null;
    this.emptyText = null;
  }

  // The document that the server has put on the page.
  keepFirstDocument() {
    if (!this.data.shown) return;
    const page = this.view.article.querySelector(".desk-page");
    const title = page.querySelector("h2")?.textContent ?? "";
    const alike = [...page.querySelectorAll("[data-alike]")].map((named) => named.dataset.alike);
    this.documents.keep({ docno: this.data.shown, title, alike, sha256: page.dataset.sha256, ...bodyIn(page) });
  }

  redraw() {
    if (!this.current) return;
    this.view.document(this.current, this.documents.page(this.current));
    this.view.alike(this.documents.alikeOf(this.current).map((one) => this.list.item(one)));
    this.marks.countHits();
  }

  display(docno) {
    this.current = docno;
    const item = this.list.item(docno);
    this.view.document(docno, this.documents.page(docno));
    this.view.alike(this.documents.alikeOf(docno).map((one) => this.list.item(one)));
    this.view.scale(item);
    this.view.takenBack(item);
    this.marks.show(item);
    this.clock.start();
    this.since = performance.now();
    this.prefetch();
  }

  prefetch() {
    clearTimeout(this.fetchingAgain);
    this.documents.prefetch(this.list.coming(this.current)).catch(() => {
      clearTimeout(this.fetchingAgain);
      this.fetchingAgain = setTimeout(() => this.prefetch(), 5_000);
    });
  }

  // The documents that a growing pool hands out now; one of them is shown at once if the desk waits for it.
  grow({ assignment, growth: state }) {
    if (!state || assignment !== this.data.assignment) return;
    this.growth.take(state);
    this.list.isOpen = this.growth.isOpen;
    this.list.grow(state, this.current ?? this.wanted);
    this.view.history(this.list);
    if (this.current || this.wanted) this.prefetch();
    else this.show(this.list.coming(null)[0]);
  }

  finish() {
    const { data, growth, view } = this;
    this.current = null;
    growth.wait();
    const text = data.growth ? growth.text : data.done;
    const shown = growth.takesLong ? `${text} This takes longer than usual.` : text;
    if (this.emptyText === shown) return;
    this.emptyText = shown;
    const actions = [["My topics", data.topicsUrl, !data.next]];
    if (data.next) actions.unshift([`Continue with topic ${data.next.number}`, data.next.url, true]);
    view.document(null, view.message(shown, ...actions));
    view.scale(null);
    this.marks.show(null);
    view.announce(shown);
  }

  async show(docno, { isKept = false } = {}) {
    if (this.current && this.current !== docno) {
      if (!isKept) await this.keep();
      this.trail.push(this.current);
    }
    this.wanted = docno;
    if (!docno) { this.finish(); return; }
    this.growth.stop();
    this.growth.asked = 0;
    this.emptyText = null;
    if (this.documents.has(docno)) this.arrive(docno);
    else this.fetchAndShow(docno);
  }

  arrive(docno) {
    this.display(docno);
    history.replaceState(null, "", this.data.deskUrl);
  }

  async fetchAndShow(docno) {
    const { view } = this;
    this.current = null;
    view.scale(null);
    view.document(null, view.message(`Fetching ${docno} …`));
    try {
      await this.documents.load(docno);
    } catch {
      if (this.wanted !== docno) return;
      setTimeout(() => { if (this.wanted === docno) this.fetchAndShow(docno); }, 2_000);
      view.document(null, view.message(`${docno} is not here yet: it comes when the connection is back.`));
      return;
    }
    if (this.wanted === docno) this.arrive(docno);
  }

  // What is announced of a document: its title, or its docno where it has none, and how much is left to do.
  inWords(docno) {
    const { total, isOpen } = this.list, left = total - this.list.judged;
    return `${this.documents.titleOf(docno) || docno}, ${isOpen ? `${left} left so far` : `${left} of ${total} left`}`;
  }

  // At once by its docno where the text is still on its way, then by its title, if nobody has gone on meanwhile.
  async announce(docno, before = "") {
    this.view.announce(before + this.inWords(docno));
    if (this.documents.has(docno)) return;
    await this.documents.load(docno).catch(() => null);
    if (this.wanted === docno && this.documents.has(docno)) this.view.announce(before + this.inWords(docno));
  }

  // Instead of a move that is not possible.
  tell(text) {
    this.view.line(text);
    this.view.scroller().scrollTop = this.view.top();
    this.view.announce(text);
  }

  // Without moving the text: the assessor goes on reading where they are.
  tellInPlace(text) {
    this.view.line(text, "is-pinned");
    this.view.announce(text);
  }

  skip() {
    const { list, current } = this;
    if (!current) return;
    list.skip(current);
    remember(this.skippedKey, JSON.stringify(list.skipped));
    const next = list.coming(current)[0];
    if (next) this.show(next).then(() => this.announce(next, "Skipped. Next: "));
    else if (list.judged < list.total) this.tell(`This is the only document ${list.isOpen ? "so far" : "left"}.`);
    else this.show(null);
  }

  move(where) {
    const { list } = this;
    if (!list.total) return;
    const from = this.current ?? this.wanted ?? list.last ?? list.items[0].docno;
    if (where === "back") { this.goBack(); return; }
    const docno = where === "unjudged" ? list.coming(from)[0] : list.neighbour(from, where === "previous" ? -1 : 1);
    if (docno) this.goTo(docno);
    else this.tell(NOWHERE[where]);
  }

  goTo(docno) { this.show(docno).then(() => this.announce(docno)); }

  // The passage of a long document, or all of it: each judgment tells which of both was read.
  changeExtent() {
    if (!this.current || !this.documents.hasPassage(this.current)) return;
    this.documents.changeExtent(this.current);
    this.redraw();
    this.view.scroller().scrollTop = this.view.top();
    this.view.announce(this.documents.extentOf(this.current) === "full" ? "The full text" : "The passage");
  }

  async goBack() {
    const docno = this.trail.pop();
    if (!docno || !this.list.item(docno)) { this.tell("No document was shown before this one."); return; }
    await this.show(docno);
    this.trail.pop();
    this.announce(docno);
  }
}
