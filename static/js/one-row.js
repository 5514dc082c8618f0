// On a phone crumbs, phases, tabs and filters take one row each. It is moved to where the reader is, and shows that there is more.
const ROWS = ".crumbs ol, .page-header .buttons, .phases, .task-tabs ul, .tabs, .board-filter, .board-lines";

function tell(row) {
  row.toggleAttribute("data-row", true);
  // From right to left the places are negative.
  row.toggleAttribute("data-more", row.scrollWidth - row.clientWidth - Math.abs(row.scrollLeft) > 1);
}

function tellAll() {
  document.querySelectorAll(ROWS).forEach(tell);
}

for (const row of document.querySelectorAll(ROWS)) {
  const here = row.querySelector("[aria-current]");
  if (here && row.scrollWidth > row.clientWidth) {
    const [inner, outer] = [here.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }
}
tellAll();
document.addEventListener("scroll", ({ target }) => { if (target.matches?.(ROWS)) tell(target); }, { capture: true, passive: true });
document.addEventListener("htmx:afterSettle", tellAll);
document.addEventListener("toggle", tellAll, { capture: true });
window.addEventListener("resize", tellAll);
