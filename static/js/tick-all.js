// A box in the head of a table that ticks all of its rows. Without JavaScript each row is ticked by hand.
for (const form of document.querySelectorAll("form[data-tick-all]")) {
  const boxes = [...form.querySelectorAll('tbody input[type="checkbox"]')];
  const head = form.querySelector("thead th");
  if (!head || boxes.length < 2) continue;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.setAttribute("aria-label", "Tick all on this page");
  const label = document.createElement("span");
  label.className = "check";
  label.append(all, " ", head.textContent);
  head.replaceChildren(label);

  const show = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  };
  all.addEventListener("change", () => boxes.forEach((box) => { box.checked = all.checked; }));
  form.addEventListener("change", (event) => { if (event.target !== all) show(); });
  window.addEventListener("pageshow", show);
  show();
}
