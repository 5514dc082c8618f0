// Parts of a page that fetch themselves again do not while nobody looks, and not while somebody works in them.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  if (!(part instanceof HTMLElement) || !("live" in part.dataset)) return;
  const focused = document.activeElement;
  const isUsed = part.contains(focused) && focused.matches("a, button, input, select");
  if (document.hidden || isUsed) event.preventDefault();
});
