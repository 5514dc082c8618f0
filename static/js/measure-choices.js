// Ticks beside the usual measures follow the list of measures that the form sends, and change it. Another judging mode brings
// its measures where the list is what is usual for a mode; where somebody chose other ones, they are offered.
const list = document.querySelector("textarea[data-measures]");
const boxes = [...document.querySelectorAll("[data-measure]")];
const usual = JSON.parse(document.getElementById("usual-of-modes")?.textContent ?? "{}");
const offer = document.querySelector("[data-usual-measures]");

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

function followMode({ value, labels }) {
  const names = usual[value]?.measures ?? [];
  const isListed = (measures) => measures.join("\n") === named().join("\n");
  if (Object.values(usual).some(({ measures }) => isListed(measures)) || !named().length) write(names);
  offer.hidden = isListed(names);
  offer.querySelector("[data-usual-of]").textContent = labels[0].textContent.trim();
  offer.querySelector("[data-usual-names]").textContent = names.join(", ");
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
  document.addEventListener("change", ({ target }) => { if (target.name === "judging_mode") followMode(target); });
  offer.querySelector("button").addEventListener("click", () => {
    write(offer.querySelector("[data-usual-names]").textContent.split(", "));
    offer.hidden = true;
    list.focus();
  });
  follow();
}
