// Lets a file be dropped on [data-drop-zone] around a file input, and shows what was chosen and how large it is.
function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

function describe(zone) {
  const input = zone.querySelector('input[type="file"]');
  const place = zone.querySelector("[data-drop-file]");
  if (!place) return;
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

document.querySelectorAll("[data-drop-zone] [data-drop-hint]").forEach((hint) => { hint.hidden = false; });
