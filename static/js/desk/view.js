// Shows a document and its judgment on the desk. Decides and stores nothing.
import { Answers } from "./answers.js";

const WIDE = matchMedia("(width >= 60rem)");

const FRAMES_UNCHANGED = 4;

export class View {
  constructor(data) {
    this.data = data;
    this.article = document.getElementById("document");
    this.form = document.getElementById("desk-scale");
    this.answers = new Answers(this.form);
    this.undo = document.getElementById("desk-undo");
    this.flagButton = this.form.querySelector("button[value=flag]");
    this.announcement = document.getElementById("desk-announcement");
    this.scrolls = new Map();
    this.shown = this.article.querySelector("[data-docno]")?.dataset.docno ?? null;
    document.getElementById("desk-moves").hidden = false;
    const fold = () => document.querySelectorAll("[data-wide-open]").forEach((details) => { details.open = WIDE.matches; });
    WIDE.addEventListener("change", fold);
    fold();
  }

  gradeText(item) {
    if (item.verdict === "cannot_judge") return "cannot judge";
    return item.verdict === "graded" ? String(item.grade) : "–";
  }

  // `page` is the built document, or a message in its place.
  document(docno, page) {
    if (this.shown) this.scrolls.set(this.shown, this.scroller().scrollTop);
    this.article.replaceChildren(page);
    this.shown = docno;
    this.scroller().scrollTop = this.scrolls.get(docno) ?? this.top();
  }

  // On a phone the page scrolls, elsewhere the document's own pane.
  scroller() { return WIDE.matches ? this.article : document.scrollingElement; }
  top() {
    if (WIDE.matches) return 0;
    const bar = document.querySelector(".desk-status");
    const covered = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
    return Math.max(0, Math.min(document.scrollingElement.scrollTop, this.article.offsetTop - covered));
  }

  scale(item) {
    this.form.elements.docno.value = item?.docno ?? "";
    for (const button of this.form.querySelectorAll("button")) {
      if (button.value === "undo") continue;
      button.disabled = !item;
      if (button.hasAttribute("aria-pressed")) button.setAttribute("aria-pressed", String(View.isGiven(button, item)));
    }
    this.flag(Boolean(item?.flagged));
    this.answers.show(item);
  }

  static isGiven(button, item) {
    if (button.name !== "grade") return item?.verdict === button.value;
    return item?.verdict === "graded" && String(item.grade) === button.value;
  }

  get flagged() { return this.flagButton.getAttribute("aria-pressed") === "true"; }
  flag(isFlagged) { this.flagButton.setAttribute("aria-pressed", String(isFlagged)); }

  history(list) {
    const last = list.lastAct && list.item(list.lastAct.docno);
    this.undo.closest("button").disabled = !last;
    this.undo.textContent = last ? `undo ${this.gradeText(last)} on ${last.docno}` : "undo";
    const rows = list.history.slice(-60).toReversed().map((docno) => this.historyRow(list.item(docno)));
    document.getElementById("desk-history").replaceChildren(...rows);
    document.getElementById("desk-count").textContent = `${list.judged} of ${list.total}${list.isOpen ? " so far" : ""}`;
    Object.assign(document.getElementById("desk-progress"), { max: list.total, value: list.judged });
  }

  historyRow(item) {
    const row = document.createElement("li"), link = document.createElement("a"), grade = document.createElement("span");
    link.href = `${this.data.deskUrl}&docno=${encodeURIComponent(item.docno)}`;
    link.dataset.docno = link.textContent = item.docno;
    grade.textContent = this.gradeText(item);
    row.append(link, grade);
    return row;
  }

  message(title, ...actions) {
    const page = document.createElement("div"), heading = document.createElement("h2"), row = document.createElement("p");
    page.className = "desk-page desk-done";
    heading.textContent = title;
    row.className = "buttons";
    row.append(...actions.map(([text, url, isFirst]) => {
      const link = document.createElement("a");
      link.href = url;
      link.textContent = text;
      link.className = isFirst ? "button button-primary" : "button";
      return link;
    }));
    page.append(heading, row);
    return page;
  }

  // The near-identical documents of the one shown, each with the assessor's own grade; some may have gone from the list.
  alike(items) {
    this.article.querySelector(".desk-alike")?.remove();
    const named = items.filter(Boolean).map((item) => {
      if (!item.verdict) return `${item.docno} (not judged yet)`;
      return `${item.docno} (${item.verdict === "graded" ? `you judged it ${item.grade}` : "you could not judge it"})`;
    });
    if (!named.length) return;
    const line = document.createElement("p");
    line.className = "desk-alike";
    line.textContent = `Near-identical to: ${named.join(", ")}`;
    this.article.querySelector(".docno").after(line);
  }

  takenBack(item) {
    if (!item.takenBack) return;
    const now = item.verdict ? `${this.gradeText(item)} counts again.` : "Judge it again or go on.";
    this.line(`Taken back: ${this.gradeText(item.takenBack)}. ${now}`);
  }

  // A sentence above the document, in place of an earlier one.
  line(text, kind = "") {
    const line = document.createElement("p");
    line.className = `desk-line ${kind}`.trimEnd();
    line.textContent = text;
    this.article.querySelector(".desk-line")?.remove();
    this.article.prepend(line);
  }

  // The heights of blocks that were never laid out are estimates: on the way to the end they become true.
  toEnd() {
    const scroller = this.scroller();
    let height = -1, steps = 0, unchanged = 0;
    const step = () => {
      scroller.scrollTop = scroller.scrollHeight;
      // A frame may pass before the blocks that came into view are laid out.
      unchanged = scroller.scrollHeight === height ? unchanged + 1 : 0;
      if (unchanged === FRAMES_UNCHANGED || ++steps > 120) return;
      height = scroller.scrollHeight;
      requestAnimationFrame(step);
    };
    step();
  }

  announce(text) { this.announcement.textContent = text; }

  // Never out of a field in which somebody has begun to type meanwhile: the rest would go to the keys of the desk.
  focus() {
    if (document.activeElement?.matches("textarea, select, input:not([type=checkbox], [type=radio])")) return;
    this.article.focus({ preventScroll: true });
  }
}
