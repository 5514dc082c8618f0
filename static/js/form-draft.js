// What is typed into form[data-draft] is kept in this tab until the server says that it is saved (saved-form.js), or somebody
// discards it; the browser asks before the form is left. data-draft names the user.
const WAIT = 300, MOST = 3, NOT_TYPED = new Set(["csrfmiddlewaretoken", "confirmed", "restored", "draft_kept"]);
const form = document.querySelector("form[data-draft]");
const notice = document.querySelector("[data-draft-kept]");
const key = `draft ${form?.dataset.draft} ${location.pathname}`;

function entries() {
  return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !NOT_TYPED.has(name));
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? [];
  } catch {
    return [];  // no storage, or not ours: nothing is offered
  }
}

function write(drafts) {
  try {
    if (drafts.length) sessionStorage.setItem(key, JSON.stringify(drafts.slice(-MOST)));
    else sessionStorage.removeItem(key);
  } catch {
    // A full or forbidden storage keeps nothing; the browser still asks before the form is left.
  }
}

function addRows(kept) {
  for (const button of form.querySelectorAll("[data-rows-of]")) {
    const total = form.elements.namedItem(button.dataset.rowsOf);
    const [, wanted] = kept.find(([name]) => name === total.name) ?? [total.name, 0];
    for (let left = Number(wanted) - Number(total.value); left > 0; left -= 1) button.click();
  }
}

function set(field, given) {
  const isTick = field.type === "checkbox" || field.type === "radio";
  const part = isTick ? "checked" : "value";
  const before = field[part];
  if (isTick) field.checked = given.includes(field.value);
  else if (given.length && !field.readOnly) field.value = given[0];
  if (field[part] !== before) field.dispatchEvent(new Event("input", { bubbles: true }));
}

function restore(kept) {
  addRows(kept);
  form.elements.namedItem("restored").value = "1";  // the server then names also what one has saved oneself since
  for (const field of form.elements) {
    if (!field.name || NOT_TYPED.has(field.name) || field.type === "file") continue;
    set(field, kept.filter(([name]) => name === field.name).map(([, value]) => value));
  }
}

function keepDrafts() {
  const told = document.createElement("input");
  Object.assign(told, { type: "hidden", name: "draft_kept", value: "1" });
  form.append(told);  // where the session ended, the server then leads to the sign-in and back to this tab's draft
  const shown = JSON.stringify(entries());
  const first = "unsaved" in form.dataset ? "" : shown;  // a refused form holds what is stored nowhere
  const waiting = read().filter((draft) => JSON.stringify(draft.entries) !== shown);
  let timer = 0, isSent = false;
  const isChanged = () => JSON.stringify(entries()) !== first;
  const keep = () => {
    clearTimeout(timer);
    write([...waiting, ...(isChanged() ? [{ at: Date.now(), entries: entries() }] : [])]);
  };
  const offer = () => {
    notice.hidden = waiting.length === 0;
    const at = waiting.length ? new Date(waiting.at(-1).at) : null;
    notice.querySelector("[data-draft-time]").textContent = at ? at.toLocaleTimeString([], { timeStyle: "short" }) : "";
  };
  notice.querySelector("[data-draft-restore]").addEventListener("click", () => {
    restore(waiting.pop().entries);
    keep();
    offer();
    form.querySelector("input:not([type=hidden]), textarea").focus();
  });
  notice.querySelector("[data-draft-discard]").addEventListener("click", () => {
    waiting.pop();
    keep();
    offer();
  });
  form.addEventListener("input", ({ target }) => {
    const said = target.closest(".form-part")?.querySelector("summary .muted");
    if (said) said.textContent = "changed, not saved";
    isSent = false;
    clearTimeout(timer);
    timer = setTimeout(keep, WAIT);
  });
  form.addEventListener("submit", () => {
    isSent = true;
    keep();
    told.disabled = JSON.stringify(read().at(-1)?.entries) !== JSON.stringify(entries());  // a full storage kept nothing
  });
  window.addEventListener("pageshow", () => { isSent = false; });
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && isChanged()) {
      keep();
      event.preventDefault();
    }
  });
  form.noValidate = false;  // without scripts the server says what is wrong: a folded part would hide what the browser says
  offer();
}

if (form) keepDrafts();
