// Ticks beside the usual measures follow the list of measures that the form sends, and change it.
const list = document.querySelector("textarea[data-measures]");
const boxes = [...document.querySelectorAll("[data-measure]")];

const lines = () => list.value.split("\n").map((line) => line.trim()).filter(Boolean);

function follow() {
  const names = new Set(lines());
  for (const box of boxes) box.checked = names.has(box.dataset.measure);
}

if (list) {
  for (const box of boxes) {
    box.hidden = false;
    box.addEventListener("change", () => {
      const others = lines().filter((name) => name !== box.dataset.measure);
      list.value = (box.checked ? [...others, box.dataset.measure] : others).join("\n");
      list.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  list.addEventListener("input", follow);
  document.addEventListener("change", ({ target }) => { if (target.name === "judging_mode") setTimeout(follow); });
  follow();
}
