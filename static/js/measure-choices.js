// Ticks beside the usual measures follow the list of measures that the form sends, and change it.
const list = document.querySelector("textarea[data-measures]");
const boxes = [...document.querySelectorAll("[data-measure]")];

// As the server reads it: blanks, commas and semicolons separate names, those in parentheses do not.
const NAME = /(?:[^\s,;()@]|[ \t]*\([^()]*\)|[ \t]*@[ \t]*|[()])+/g;
const named = () => (list.value.match(NAME) ?? []).map((name) => name.trim());

function follow() {
  const names = named();
  for (const box of boxes) {
    const place = names.indexOf(box.dataset.measure);
    box.checked = place >= 0;
    const said = document.querySelector(`[data-place="${CSS.escape(box.dataset.measure)}"]`);
    said.textContent = place === 0 ? "1, ranks" : `${place + 1}`;
    said.hidden = place < 0;
    document.querySelector(`[data-first="${CSS.escape(box.dataset.measure)}"]`).hidden = place < 1;
  }
}

function write(names) {
  list.value = names.join("\n");
  list.dispatchEvent(new Event("input", { bubbles: true }));
}

if (list) {
  document.querySelector("[data-of-ticks]").hidden = false;
  for (const box of boxes) {
    box.hidden = false;
    box.addEventListener("change", () => {
      const others = named().filter((name) => name !== box.dataset.measure);
      write(box.checked ? [...others, box.dataset.measure] : others);
    });
  }
  for (const button of document.querySelectorAll("[data-first]")) {
    button.addEventListener("click", () => {
      write([button.dataset.first, ...named().filter((name) => name !== button.dataset.first)]);
      document.querySelector(`[data-measure="${CSS.escape(button.dataset.first)}"]`).focus();
    });
  }
  list.addEventListener("input", follow);
  document.addEventListener("change", ({ target }) => { if (target.name === "judging_mode") setTimeout(follow); });
  follow();
}
