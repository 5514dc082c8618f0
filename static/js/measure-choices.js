// Ticks beside the usual measures follow the list of measures that the form sends, and change it.
const list = document.querySelector("textarea[data-measures]");
const boxes = [...document.querySelectorAll("[data-measure]")];

// As the server reads it: blanks, commas and semicolons separate names, those in parentheses do not.
const NAME = /(?:[^\s,;()@]|[ \t]*\([^()]*\)|[ \t]*@[ \t]*|[()])+/g;
const named = () => (list.value.match(NAME) ?? []).map((name) => name.trim());

function follow() {
  const names = new Set(named());
  for (const box of boxes) box.checked = names.has(box.dataset.measure);
}

if (list) {
  document.querySelector("[data-of-ticks]").hidden = false;
  for (const box of boxes) {
    box.hidden = false;
    box.addEventListener("change", () => {
      const others = named().filter((name) => name !== box.dataset.measure);
      list.value = (box.checked ? [...others, box.dataset.measure] : others).join("\n");
      list.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
  list.addEventListener("input", follow);
  document.addEventListener("change", ({ target }) => { if (target.name === "judging_mode") setTimeout(follow); });
  follow();
}
