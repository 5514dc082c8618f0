// Lets files be dropped on [data-drop-zone] around a file input. Where one file is taken, says which and how large it is.
import { size } from "./bar.js";

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
  const transfer = new DataTransfer();
  for (const file of input.multiple ? dropped : dropped.slice(0, 1)) transfer.items.add(file);
  input.files = transfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
});

document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (zone && event.target.matches('input[type="file"]')) describe(zone);
});

document.querySelectorAll("[data-drop-zone] [data-drop-hint]").forEach((hint) => {
  if (hint.closest("[data-drop-zone]").querySelector("input[multiple]")) hint.textContent = "or drop files here";
  hint.hidden = false;
});
