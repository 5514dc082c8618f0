// What a column means, beside its head while the pointer or the focus is there. The words are those of aria-describedby.
const card = document.createElement("div");
card.className = "column-help";
card.popover = "manual";
card.setAttribute("aria-hidden", "true"); // screen readers have them from the head itself
let shown = null;

function headOf(event) {
  return event.target instanceof Element ? event.target.closest("thead th")?.querySelector("[aria-describedby]") : null;
}

function show(head) {
  const words = document.getElementById(head.getAttribute("aria-describedby"))?.textContent.replace(/\s+/g, " ").trim();
  if (!words || head === shown) return;
  shown = head;
  card.textContent = words;
  if (!card.isConnected) document.body.append(card); // going back exchanges the whole body
  if (!card.matches(":popover-open")) card.showPopover();
  const place = head.getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - card.offsetWidth - 8);
  card.style.insetInlineStart = `${Math.max(left, 8)}px`;
  card.style.insetBlockStart = `${place.bottom + 6}px`;
}

function hide() {
  shown = null;
  if (card.isConnected) card.hidePopover();
}

for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => {
    const head = headOf(event);
    if (head) show(head);
    else if (shown && !card.contains(event.target)) hide();
  });
}
document.addEventListener("focusout", () => shown && hide());
document.addEventListener("scroll", () => shown && hide(), { capture: true, passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && shown) hide(); });
