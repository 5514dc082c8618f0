// Lets files be dropped on [data-drop-zone] around a file input. Where one file is taken, says which and how large it is.
// Several files that are dropped on a form of such fields go to those that their names speak of, the others to free ones.
import { size } from "./bar.js";

const NAMED = { "topics-file": /topic|quer/i, "documents-file": /doc|corpus|collection/i, "qrels-file": /qrel|judg/i };

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
  if (input.multiple || dropped.length === 1 || others.length === 1) give(input, input.multiple ? dropped : dropped.slice(0, 1));
  else share(dropped, others);
});

function give(input, files) {
  const transfer = new DataTransfer();
  for (const file of files) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function share(files, inputs) {
  const free = new Set(inputs), left = [];
  for (const file of files) {
    const input = [...free].find(({ name }) => NAMED[name]?.test(file.name));
    if (input) give(input, [file]);
    else left.push(file);
    free.delete(input);
  }
  const empty = [...free].filter(({ files: chosen }) => chosen.length === 0);
  for (const [place, file] of left.slice(0, empty.length).entries()) give(empty[place], [file]);
}

document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone && event.target.matches('input[type="file"]')) describe(zone);
});

document.querySelectorAll("[data-drop-zone] [data-drop-hint]").forEach((hint) => {
  if (hint.closest("[data-drop-zone]").querySelector("input[multiple]")) hint.textContent = "or drop files here";
  hint.hidden = false;
});
