// On a phone crumbs, phases, tabs and filters take one row each, which is moved to where the reader is; they, and pictures and
// tables that are wider than the screen, show that there is more.
const ROWS = ".crumbs ol, .page-header .buttons, .phases, .task-tabs ul, .tabs, .board-filter, .board-lines, .page-board .page-meta";
const PLAIN = ".page-meta";  // mostly without links: the keyboard could not move it
const FOR_KEYS = { tabindex: "0", role: "region", "aria-label": "About this page" };
const WIDE = `${ROWS}, .plot, .table-wrap`;

function tell(row) {
  row.toggleAttribute("data-row", row.matches(ROWS));
  // From right to left the places are negative.
  row.toggleAttribute("data-more", row.scrollWidth - row.clientWidth - Math.abs(row.scrollLeft) > 1);
  row.toggleAttribute("data-wide", row.scrollWidth - row.clientWidth > 1);
  if (!row.matches(PLAIN)) return;
  for (const [name, value] of Object.entries(FOR_KEYS)) {
    if (row.scrollWidth - row.clientWidth > 1) row.setAttribute(name, value);
    else row.removeAttribute(name);
  }
}

function tellAll() {
  document.querySelectorAll(WIDE).forEach(tell);
  for (const title of document.querySelectorAll(".page-header h1")) {
    if (title.scrollHeight - title.clientHeight > 1) title.tabIndex = 0;
    else title.removeAttribute("tabindex");
  }
}

for (const row of document.querySelectorAll(ROWS)) {
  const here = row.querySelector("[aria-current]");
  if (here && row.scrollWidth > row.clientWidth) {
    const [inner, outer] = [here.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }
}
tellAll();
document.addEventListener("scroll", ({ target }) => { if (target.matches?.(WIDE)) tell(target); }, { capture: true, passive: true });
document.addEventListener("htmx:afterSettle", tellAll);
document.addEventListener("toggle", tellAll, { capture: true });
document.addEventListener("load", tellAll, { capture: true });  // of a picture
window.addEventListener("resize", tellAll);
