// What is folded beside the document: remembered for each assessor in this browser; on a phone opened from the bars.
import { recall, remember } from "./memory.js";

export function rememberFolds(assessor) {
  for (const fold of document.querySelectorAll("details[data-remembered]")) {
    const key = `runpool-fold:${assessor}:${fold.id}`, state = recall(key);
    if (state) fold.open = state === "open";
    fold.addEventListener("toggle", () => remember(key, fold.open ? "open" : "folded"));
    // What was opened comes into sight; the document keeps its place on wide screens, where the panel scrolls by itself.
    fold.querySelector("summary").addEventListener("click", () => {
      if (!fold.open) requestAnimationFrame(() => fold.scrollIntoView({ block: "start" }));
    });
  }
}

function isInSight(element) {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < innerHeight / 2;
}

// Buttons that open a fold and come to it; pressed again, they close it and go back to where one was reading.
export function openFolds() {
  const scroller = document.scrollingElement;
  let from = 0;
  for (const button of document.querySelectorAll("[data-unfolds]")) {
    const fold = document.getElementById(button.dataset.unfolds);
    button.hidden = false;
    button.setAttribute("aria-controls", fold.id);
    const tell = () => button.setAttribute("aria-expanded", String(fold.open));
    fold.addEventListener("toggle", tell);
    tell();
    button.addEventListener("click", () => {
      if (fold.open && isInSight(fold)) {
        fold.open = false;
        scroller.scrollTop = from;
        return;
      }
      from = scroller.scrollTop;
      fold.open = true;
      fold.scrollIntoView({ block: "start" });
      fold.querySelector("summary").focus({ preventScroll: true });
    });
  }
}
