// Single keys click (or focus) the visible element that carries them in aria-keyshortcuts; "?" opens the key list.
// Keys go by what they write and by their place: unshifted digits of a French keyboard are digits, letters of a keyboard that
// writes no Latin ones are those of a Latin keyboard. Off while typing, while a modifier is held, and when the reader switched keys off (<body data-shortcuts="off">).
const TYPING = 'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="range"]), textarea, select, [contenteditable="true"]';

// On a page with data-stray, which holds the letters of all its commands, also of those that it does not offer now:
// who types after a letter that no command has takes the page for a field.
const STRAY = 1_000;  // ms
const stray = { at: -STRAY, letter: "" };

function isOff() {
  return document.body.dataset.shortcuts === "off";
}

function carries(element, key) {
  return element.getAttribute("aria-keyshortcuts").split(/\s+/).some((shortcut) => shortcut.toLowerCase() === key);
}

// What the key stands for, in lower case: what it writes first, then what its place means.
function meanings(event) {
  const written = event.key.toLowerCase();
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1], letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  if (digit && !event.shiftKey && written !== digit && !/^\d$/.test(written)) return [written, digit];
  if (letter && /^\p{L}$/u.test(written) && !/^[a-z]$/.test(written)) return [written, letter.toLowerCase()];
  return [written];
}

// What is folded can be reached: its fold opens with it.
function isReachable(element) {
  const folds = foldsAround(element);
  return element.checkVisibility() || (folds.length > 0 && folds.at(-1).checkVisibility());
}

// The closed folds that an element is in, from the inmost one; a fold's own summary is not inside it.
function foldsAround(element) {
  const folds = [];
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    if (!fold.open && !fold.querySelector("summary").contains(element)) folds.push(fold);
  }
  return folds;
}

function targetOf(key) {
  const scope = document.querySelector("dialog[open]") ?? document;
  return [...scope.querySelectorAll("[aria-keyshortcuts]")].find(
    (element) => carries(element, key) && !element.disabled && isReachable(element),
  );
}

function use(element) {
  for (const fold of foldsAround(element)) fold.open = true;
  if (element.matches(TYPING)) element.focus();
  else element.click();
}

function isSingleKey(event) {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  return !event.repeat && !event.defaultPrevented && !isModified && !event.isComposing;
}

function openHelp(event) {
  const help = document.getElementById("keyboard-help");
  if (!help || help.open) return;
  event.preventDefault();
  help.showModal();
}

function isStray(key, keys, guard) {
  if (!/^\p{L}$/u.test(key)) return false;
  const carriers = [...document.querySelectorAll("[aria-keyshortcuts]")];
  return !keys.some((one) => guard.dataset.stray.includes(one) || carriers.some((element) => carries(element, one)));
}

// Whether the key is typed among stray letters; a stray one begins, or prolongs, what counts as such.
function isAmongStray(event, keys) {
  const guard = document.querySelector("[data-stray]");
  if (!guard || document.querySelector("dialog[open]")) return false;
  const isAmong = event.timeStamp - stray.at < STRAY;
  if (isStray(event.key, keys, guard)) Object.assign(stray, { at: event.timeStamp, letter: isAmong ? stray.letter : keys.at(-1) });
  return isAmong && event.key !== "/";
}

function press(event) {
  const keys = meanings(event), element = keys.map(targetOf).find(Boolean), isTyped = isAmongStray(event, keys);
  if (!element) return;
  event.preventDefault();
  if (isTyped) document.dispatchEvent(new CustomEvent("stray-key", { detail: stray.letter }));
  else use(element);
}

document.addEventListener("keydown", (event) => {
  if (isOff() || !isSingleKey(event)) return;
  if (event.target instanceof Element && event.target.matches(TYPING)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "?") {
    openHelp(event);
    return;
  }
  press(event);
});

for (const opener of document.querySelectorAll("[data-opens]")) opener.hidden = false;

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
});
