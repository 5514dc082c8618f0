// The operations whose address or title has all of the words. Without JavaScript there is no field, and all are listed.
import { showTarget } from "./open-target.js";

const part = document.getElementById("operations");
const box = part.querySelector("[data-filters]"), field = box.querySelector("input"), said = box.querySelector("[role=status]");
const groups = [...part.querySelectorAll("[data-group]")].map((fold) => ({
  fold,
  operations: [...fold.querySelectorAll(".operation")].map((element) => ({
    element,
    words: `${fold.querySelector("summary h3").textContent} ${element.querySelector("summary").textContent}`.toLowerCase(),
  })),
}));
const total = groups.reduce((sum, { operations }) => sum + operations.length, 0);
let isFiltered = false;
let openBefore = new Set(); // groups that the reader had opened before the filter

function show() {
  const asked = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  if (asked.length && !isFiltered) openBefore = new Set(groups.map(({ fold }) => fold).filter(({ open }) => open));
  for (const { fold, operations } of groups) {
    let inGroup = 0;
    for (const { element, words } of operations) {
      element.hidden = !asked.every((word) => words.includes(word));
      inGroup += Number(!element.hidden);
    }
    fold.hidden = inGroup === 0;
    if (asked.length || isFiltered) fold.open = asked.length > 0 || openBefore.has(fold);
    shown += inGroup;
  }
  isFiltered = asked.length > 0;
  part.querySelector("[data-none]").hidden = shown > 0;
  said.textContent = isFiltered ? `${shown} of ${total} operations` : `${total} operations`;
}

// A link leads to what it names, also to what the filter hides.
function unhide(id) {
  if (!document.getElementById(id)?.closest("#operations [hidden]")) return;
  field.value = "";
  show();
  showTarget();
}

box.hidden = false;
field.addEventListener("input", show);
window.addEventListener("hashchange", () => unhide(location.hash.slice(1)));
show();
