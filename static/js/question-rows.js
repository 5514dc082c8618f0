// The rows of the questions about a run: a button adds one. Without JavaScript the form has one empty row at a time.
const rows = document.querySelector("[data-question-rows]");
const list = rows?.querySelector("ol");
const total = document.querySelector('[name="questions-TOTAL_FORMS"]');

function addRow() {
  const number = Number(total.value);
  const row = list.lastElementChild.cloneNode(true);
  const rename = (text) => text?.replace(/questions-\d+-/, `questions-${number}-`);
  row.querySelectorAll("input, select, textarea").forEach((field) => {
    field.name = rename(field.name);
    field.id = rename(field.id);
    field.removeAttribute("aria-invalid");
    const described = field.getAttribute("aria-describedby");
    if (described) field.setAttribute("aria-describedby", rename(described));
    if (field.type === "checkbox") field.checked = false;
    else if (field.tagName === "SELECT") field.selectedIndex = 0;
    else field.value = "";
  });
  row.querySelectorAll("label").forEach((label) => { label.htmlFor = rename(label.htmlFor); });
  row.querySelectorAll(".errorlist").forEach((errors) => errors.remove());
  list.append(row);
  total.value = number + 1;
  return row;
}

if (list && total) {
  const add = rows.querySelector("[data-add-question]");
  add.hidden = false;
  add.addEventListener("click", () => addRow().querySelector("input").focus());
}
