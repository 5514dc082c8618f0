// What is fetched in place of a part leaves open what was open in it, and the focus where it was.
let open = [], focused = "";

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  open = [...detail.target.querySelectorAll("details[id][open]")].map((part) => part.id);
  focused = detail.target.contains(document.activeElement) ? document.activeElement.id : "";
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused && document.activeElement.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true });
  open = [];
  focused = "";
});
