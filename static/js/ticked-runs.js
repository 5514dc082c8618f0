// Runs stay ticked where the board is shown in another order, by another measure, or for another team.
const ticked = new Set();

function boxes() {
  return document.querySelectorAll('input[name="run"][form="compare-runs"]');
}

document.addEventListener("change", ({ target }) => {
  if (![...boxes()].includes(target)) return;
  if (target.checked) ticked.add(target.value);
  else ticked.delete(target.value);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const box of boxes()) box.checked = ticked.has(box.value);
});
