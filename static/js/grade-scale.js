// The rows of a grade scale: a button adds one. On the page of a new task the scale and the lowest relevant
// grade follow the chosen judging mode, each until the organiser edits it.
const scale = document.querySelector("[data-grade-scale]");
const body = scale?.querySelector("tbody");
const total = document.querySelector('[name="grades-TOTAL_FORMS"]');
const relevant = document.querySelector('[name="lowest_relevant_grade"]');
const usual = JSON.parse(document.getElementById("usual-of-modes")?.textContent ?? "{}");
const isNew = document.querySelector("[data-slug-source]") !== null;
let scaleIsChanged = false;
let relevantIsChanged = false;

function addRow() {
  const number = Number(total.value);
  const row = body.lastElementChild.cloneNode(true);
  const rename = (text) => text.replace(/grades-\d+-/, `grades-${number}-`);
  row.querySelectorAll("input").forEach((input) => {
    input.name = rename(input.name);
    input.id = rename(input.id);
    input.checked = false;
    if (input.type !== "checkbox") input.value = "";
  });
  row.querySelectorAll("label").forEach((label) => {
    label.htmlFor = rename(label.htmlFor);
    label.textContent = label.textContent.replace(/\d+$/, number);
  });
  row.querySelectorAll(".errorlist").forEach((list) => list.remove());
  body.append(row);
  total.value = number + 1;
  return row;
}

function fill(row, step) {
  const set = (name, value) => { row.querySelector(`[name$="-${name}"]`).value = value ?? ""; };
  set("value", step.value);
  set("label", step.label);
  set("key", step.value === undefined ? "" : (step.key ?? String(step.value)));
  set("gain", step.value === undefined ? "" : (step.gain ?? step.value));
  set("definition", step.definition);
}

function fillAll(steps) {
  while (body.children.length <= steps.length) addRow();
  [...body.children].forEach((row, index) => fill(row, steps[index] ?? {}));
}

function follow({ scale: steps = [], lowest_relevant_grade: lowest = 1 }) {
  if (!scaleIsChanged) fillAll(steps);
  if (relevant && !scaleIsChanged && !relevantIsChanged) relevant.value = lowest;
  scale.dispatchEvent(new Event("input", { bubbles: true }));
}

if (body && total) {
  const add = scale.querySelector("[data-add-grade]");
  add.hidden = false;
  add.addEventListener("click", () => { scaleIsChanged = true; addRow().querySelector("input").focus(); });
  body.addEventListener("input", () => { scaleIsChanged = true; });
  relevant?.addEventListener("input", () => { relevantIsChanged = true; });
  document.addEventListener("change", (event) => {
    if (!isNew || !event.target.matches('[name="judging_mode"]')) return;
    follow(usual[event.target.value] ?? {});
  });
}
