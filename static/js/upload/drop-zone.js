// Lets files be dropped on [data-drop-zone] around a file input. Where one file is taken, says which and how large it is.
// Several files that are dropped on a form of such fields go to those that their names speak of, the others to free ones;
// what no field takes is named.
import { size } from "./bar.js";

/** The first that a name speaks of: names of qrels often say which topics or documents they are about. */
const NAMED = { "qrels-file": /qrel|judg/i, "topics-file": /topic|quer/i, "documents-file": /doc|corpus|collection/i };

function describe(zone) {
  const input = zone.querySelector('input[type="file"]');
  const place = zone.querySelector("[data-drop-file]");
  if (!place || input.multiple) return;
  const limit = Number(zone.dataset.maxBytes || 0);
  const files = [...input.files];
  place.textContent = files.map((file) => `${file.name}, ${size(file.size)}`).join("; ");
  const tooLarge = limit > 0 && files.some((file) => file.size > limit);
  if (tooLarge) place.textContent += `: over the limit of ${size(limit)}`;
  input.setCustomValidity(tooLarge ? `This file is larger than the limit of ${size(limit)}.` : "");
}

function zoneOf(event) {
  return event.target instanceof Element ? event.target.closest("[data-drop-zone]") : null;
}

document.addEventListener("dragover", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.add("is-over");
});

document.addEventListener("dragleave", (event) => {
  const zone = zoneOf(event);
  if (zone && !zone.contains(event.relatedTarget)) zone.classList.remove("is-over");
});

document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.remove("is-over");
  const input = zone.querySelector('input[type="file"]');
  const dropped = [...event.dataTransfer.files];
  if (!input || dropped.length === 0) return;
  const others = input.form ? [...input.form.querySelectorAll('[data-drop-zone] input[type="file"]')] : [input];
  if (input.multiple) give(input, dropped);
  else if (dropped.length === 1 || others.length === 1) {
    give(input, dropped.slice(0, 1));
    sayNotTaken(zone, dropped.slice(1));
  } else sayNotTaken(zone, share(dropped, others));
});

function give(input, files) {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Returns the files that no field took. */
function share(files, inputs) {
  const free = new Set(inputs), unnamed = [], notTaken = [];
  for (const file of files) {
    const kind = Object.keys(NAMED).find((name) => NAMED[name].test(file.name));
    const input = [...free].find(({ name }) => name === kind);
    if (input) give(input, [file]);
    else (kind ? notTaken : unnamed).push(file);
    free.delete(input);
  }
  const empty = [...free].filter(({ files: chosen }) => chosen.length === 0);
  for (const [place, input] of empty.entries()) if (unnamed[place]) give(input, [unnamed[place]]);
  return [...notTaken, ...unnamed.slice(empty.length)];
}

function sayNotTaken(zone, files) {
  const place = zone.querySelector("[data-drop-file]");
  if (!place || files.length === 0) return;
  const names = files.map(({ name }) => name).join("; ");
  place.textContent += `${place.textContent && ". "}Not taken: ${names}. A field takes one file.`;
}

document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone && event.target.matches('input[type="file"]')) describe(zone);
});

document.querySelectorAll("[data-drop-zone] [data-drop-hint]").forEach((hint) => {
  if (hint.closest("[data-drop-zone]").querySelector("input[multiple]")) hint.textContent = "or drop files here";
  hint.hidden = false;
});
