// Marks the column of a matrix that is under the pointer or holds the focus; the styles mark its row.
let marked = [];

function mark(event) {
  for (const cell of marked) cell.classList.remove("in-column");
  const under = event.target instanceof Element ? event.target.closest(".matrix :is(td, th)") : null;
  const place = event.type === "focusout" ? 0 : (under?.cellIndex ?? 0); // the first column names the rows
  marked = place ? [...under.closest("table").rows].flatMap((row) => row.cells[place] ?? []) : [];
  for (const cell of marked) cell.classList.add("in-column");
}

for (const kind of ["pointerover", "focusout", "focusin"]) document.addEventListener(kind, mark);
document.documentElement.addEventListener("pointerleave", mark);
