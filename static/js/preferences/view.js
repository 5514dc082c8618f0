// What the desk for pairs shows: two documents, or a message in their place.
import { bodyIn } from "../desk/body.js";

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

const SIDES = ["left", "right"];

export class PairView {
  constructor(data) {
    this.data = data;
    this.place = document.getElementById("pair");
    this.form = document.getElementById("desk-scale");
    this.note = document.getElementById("pair-note");
    this.counter = document.getElementById("pair-count");
    this.line = document.getElementById("desk-announcement");
    this.switch = document.getElementById("pair-switch");
    this.panes = new Map(SIDES.map((side) => [side, this.place.querySelector(`[data-side="${side}"]`) ?? this.pane(side)]));
    this.place.classList.add("is-switched");
    this.switch.addEventListener("click", () => this.shows(this.place.dataset.shows === "left" ? "right" : "left"));
    this.note.addEventListener("focus", () => { this.note.closest("details").open = true; });
    const details = this.note.closest("details");
    details.addEventListener("toggle", () => { if (details.open) this.note.focus(); });
  }

  pane(side) {
    const made = element("article", "desk-document");
    made.dataset.side = side;
    made.tabIndex = 0;
    made.setAttribute("aria-label", `The ${side} document`);
    return made;
  }

  // The documents that came with the page, for the cache.
  pages() {
    return [...this.place.querySelectorAll(".desk-page[data-docno]")].map((page) => {
      const title = page.querySelector("h2")?.textContent ?? "";
      return { docno: page.dataset.docno, title, ...bodyIn(page) };
    });
  }

  pair(left, right) {
    const panes = SIDES.map((side) => this.panes.get(side));
    for (const [place, page] of [left, right].entries()) {
      panes[place].replaceChildren(page);
      panes[place].scrollTop = 0;
    }
    if (panes[0].parentElement !== this.place) this.place.replaceChildren(...panes);
    this.shows("left");
    this.enable(true);
  }

  // On a narrow screen one of the two is in sight.
  shows(side) {
    this.place.dataset.shows = side;
    this.switch.hidden = !this.panes.get(side).isConnected;
    this.switch.querySelector("span").textContent = side === "left" ? "Show the right one" : "Show the left one";
    if (this.switch.checkVisibility?.()) {
      scrollTo(0, 0);
      this.announce(`The ${side} document`);
    }
  }

  enable(isOn) {
    for (const button of this.form.querySelectorAll(".grade")) button.disabled = !isOn;
  }

  undo(last) { this.form.querySelector(".undo").disabled = !last; }

  count(about) { this.counter.textContent = `about ${about} more`; }

  message(text, ...links) {
    const made = element("article", "desk-document pair-message"), page = element("div", "desk-page desk-done");
    page.append(element("h2", "", text));
    const buttons = element("p", "buttons");
    for (const [label, url, isFirst] of links) {
      const link = element("a", isFirst ? "button button-primary" : "button", label);
      link.href = url;
      buttons.append(link);
    }
    if (links.length) page.append(buttons);
    made.append(page);
    this.place.replaceChildren(made);
    this.switch.hidden = true;
    this.enable(false);
  }

  finish(text) {
    const links = [["Topics to compare", this.data.topicsUrl, !this.data.next]];
    if (this.data.next) links.unshift([`Continue with topic ${this.data.next.number}`, this.data.next.url, true]);
    this.message(text, ...links);
    this.counter.textContent = "done";
    this.announce(text);
  }

  announce(text) { this.line.textContent = text; }
}
