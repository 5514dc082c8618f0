// Pictures answer: pointer, arrow keys and finger show what a mark says; Enter, a click or a second touch opens its page.
import { frameOf, linkOf, markAt, markByKey, marksOf, termsOf } from "./places.js";

const PICTURES = ".plot img";
const RADIUS = 24; // pixels of the screen
const RING = 7;
const EDGE = 8;

const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("aria-hidden", "true"); // screen readers have its words from `words`
const ring = document.createElement("div");
ring.className = "picture-mark";
ring.setAttribute("aria-hidden", "true");
const words = document.createElement("p");
words.className = "visually-hidden";
words.setAttribute("role", "status");
const how = document.createElement("p");
how.id = "picture-keys";
how.hidden = true;
how.textContent = "Arrow keys go from mark to mark. Enter opens the page of a mark.";

const groupsOf = new WeakMap();
let shown = null; // { image, mark, isRead }: read stays while the pointer moves elsewhere
let touched = false;
let frame = 0;

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) { near.unobserve(target); prepare(target); }
  }
}, { rootMargin: "200px" });

function watch() {
  for (const image of document.querySelectorAll(PICTURES)) near.observe(image);
}

// Asked for after the picture has come: it is then in the caches of browser and server.
async function prepare(image) {
  if (!image.naturalWidth) {
    image.addEventListener("load", () => prepare(image), { once: true });
    return;
  }
  const source = image.currentSrc;
  const found = await marksOf(source);
  if (!found.length || image.currentSrc !== source) return;
  groupsOf.set(image, { groups: found, source });
  image.tabIndex = 0;
  image.setAttribute("aria-describedby", how.id);
}

function groups(image) {
  const known = groupsOf.get(image);
  return known?.source === image.currentSrc ? known.groups : null;
}

// Units of the document for each pixel; matplotlib's documents count 72 to the inch as points, of which 96 pixels are 72.
function scaleOf(image) {
  return (image.naturalWidth * 72) / 96 / image.getBoundingClientRect().width;
}

function markUnder(image, event) {
  const found = groups(image);
  if (!found) return null;
  const box = image.getBoundingClientRect();
  const scale = scaleOf(image);
  return markAt(found, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale, RADIUS * scale);
}

function isSame(image, mark) {
  return shown?.image === image && shown.mark.group === mark.group && shown.mark.place === mark.place;
}

function show(image, mark, isRead = false) {
  if (isSame(image, mark)) return;
  shown = { image, mark, isRead };
  const list = document.createElement("dl");
  const terms = termsOf(groups(image), mark);
  for (const [name, values] of terms) list.append(element("dt", name), ...values.map((value) => element("dd", value)));
  tip.replaceChildren(list);
  const link = linkOf(mark, image.currentSrc);
  if (link && touched) list.after(element("p", "Touch again to open the page."));
  image.classList.toggle("leads", Boolean(link));
  ring.classList.toggle("is-dot", mark.group.kind === "dots");
  // Going back exchanges the whole body.
  if (!tip.isConnected) append();
  if (isRead) words.textContent = terms.map(([name, values]) => `${name} ${values.join(", ")}`).join(", ");
  ring.hidden = tip.hidden = false;
  stand();
}

// The region is there before its first words: what comes with its words is often not read.
function append() {
  document.body.append(ring, tip, words, how);
}

function element(name, text) {
  const made = document.createElement(name);
  made.dir = "auto"; // names of runs may be right-to-left
  made.textContent = text;
  return made;
}

// Put the ring on its mark and the card beside it, inside the window.
function stand() {
  const { image, mark } = shown;
  const box = image.getBoundingClientRect();
  const scale = scaleOf(image);
  const [left, top, right, bottom] = frameOf(mark, RING * scale).map((at) => at / scale);
  const [x, y, width, height] = [box.left + left, box.top + top, right - left, bottom - top];
  Object.assign(ring.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  const clip = image.closest(".plot").getBoundingClientRect();
  ring.classList.toggle("is-outside", x + width / 2 < clip.left || x + width / 2 > clip.right);
  const root = document.documentElement;
  const beside = x + width + EDGE + tip.offsetWidth + EDGE <= root.clientWidth ? x + width + EDGE : x - EDGE - tip.offsetWidth;
  const beneath = y + Math.min(height, 2 * RING) + EDGE;
  const over = y - EDGE - tip.offsetHeight;
  tip.style.left = `${within(beside, root.clientWidth - tip.offsetWidth)}px`;
  tip.style.top = `${within(beneath + tip.offsetHeight <= root.clientHeight ? beneath : over, root.clientHeight - tip.offsetHeight)}px`;
}

function within(place, most) {
  return Math.max(EDGE, Math.min(place, most - EDGE));
}

function hide() {
  shown?.image.classList.remove("leads");
  shown = null;
  ring.hidden = tip.hidden = true;
  words.textContent = "";
}

// On a phone the picture is wider than its box: bring the mark into it.
function bringIntoView(image, mark) {
  const box = image.closest(".plot");
  const [left, , right] = frameOf(mark, RING).map((at) => at / scaleOf(image));
  const middle = (left + right) / 2;
  const edge = 4 * RING;
  if (middle < box.scrollLeft + edge || middle > box.scrollLeft + box.clientWidth - edge) {
    box.scrollLeft = middle - box.clientWidth / 2;
  }
}

function pictureOf(event) {
  return event.target instanceof Element ? event.target.closest(PICTURES) : null;
}

function open(event, link) {
  if (event.ctrlKey || event.metaKey) window.open(link, "_blank", "noopener");
  else location.assign(link);
}

document.addEventListener("pointerdown", (event) => { touched = event.pointerType === "touch"; });
document.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") return; // a finger scrolls; what it tells comes with the click
  touched = false;
  const image = pictureOf(event);
  const mark = image && markUnder(image, event);
  if (mark) show(image, mark);
  else if (shown && !shown.isRead) hide();
});
document.addEventListener("click", (event) => {
  if (event.detail === 0) return; // made by a program, at no place of the picture
  const image = pictureOf(event);
  const mark = image && markUnder(image, event);
  if (!mark) {
    if (shown) hide();
    return;
  }
  const link = linkOf(mark, image.currentSrc);
  const isSecond = isSame(image, mark);
  show(image, mark, touched);
  if (link && (isSecond || !touched)) open(event, link);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown) hide();
  const image = pictureOf(event);
  const found = image && groups(image);
  if (!found || isOfTheBrowser(event)) return;
  const mark = shown?.image === image ? shown.mark : null;
  if (event.key === "Enter") follow(event, image, mark);
  else walk(event, image, markByKey(found, mark, event.key));
});

function isOfTheBrowser(event) {
  return event.altKey || (event.key !== "Enter" && (event.ctrlKey || event.metaKey));
}

function follow(event, image, mark) {
  const link = mark && linkOf(mark, image.currentSrc);
  if (link) open(event, link);
}

function walk(event, image, next) {
  if (!next) return;
  event.preventDefault();
  touched = false;
  bringIntoView(image, next);
  show(image, next, true);
}

document.addEventListener("focusout", (event) => { if (shown?.image === event.target) hide(); });
for (const kind of ["scroll", "resize"]) {
  addEventListener(kind, () => {
    if (!shown || frame) return;
    frame = requestAnimationFrame(() => { frame = 0; if (shown?.image.isConnected) stand(); else if (shown) hide(); });
  }, { capture: true, passive: true });
}
document.addEventListener("htmx:afterSettle", () => {
  if (shown && !shown.image.isConnected) hide();
  watch();
});
ring.hidden = tip.hidden = true;
append();
watch();
