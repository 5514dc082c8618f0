// What is typed into form[data-draft] is kept in this tab until it is saved or discarded, and the browser asks before it is left.
// data-draft names the user, data-sign-in the page that a form which was sent after the end of a session leads to.
const WAIT = 300, NOT_TYPED = new Set(["csrfmiddlewaretoken", "confirmed"]);
const form = document.querySelector("form[data-draft]");
const notice = document.querySelector("[data-draft-kept]");
const key = `draft ${form?.dataset.draft} ${location.pathname}`;

function entries() {
  return [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !NOT_TYPED.has(name));
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;  // no storage, or not ours: nothing is offered
  }
}

function write(draft) {
  try {
    if (draft) sessionStorage.setItem(key, JSON.stringify(draft));
    else sessionStorage.removeItem(key);
  } catch {
    // A full or forbidden storage keeps nothing; the browser still asks before the form is left.
  }
}

// A form that was sent is saved, but where the answer was the page that asks to sign in, or none: then one comes back from there.
function isLost(draft) {
  if (!draft.sent) return true;
  const [visit] = performance.getEntriesByType("navigation");
  return visit?.type === "back_forward" || (document.referrer && new URL(document.referrer).pathname === form.dataset.signIn);
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
  for (const field of form.elements) {
    if (!field.name || NOT_TYPED.has(field.name) || field.type === "file") continue;
    set(field, kept.filter(([name]) => name === field.name).map(([, value]) => value));
  }
}

function keepDrafts() {
  const shown = JSON.stringify(entries());
  const first = "unsaved" in form.dataset ? "" : shown;  // a refused form holds what is stored nowhere
  let timer = 0, isSent = false;
  const isChanged = () => JSON.stringify(entries()) !== first;
  const keep = () => {
    clearTimeout(timer);
    write(isChanged() ? { at: Date.now(), entries: entries(), sent: isSent } : null);
  };
  const offered = read();
  if (offered && isLost(offered) && JSON.stringify(offered.entries) !== shown) {
    notice.querySelector("[data-draft-time]").textContent = new Date(offered.at).toLocaleTimeString([], { timeStyle: "short" });
    notice.hidden = false;
    notice.querySelector("[data-draft-restore]").addEventListener("click", () => {
      notice.hidden = true;
      restore(offered.entries);
      keep();
      form.querySelector("input:not([type=hidden]), textarea").focus();
    });
    notice.querySelector("[data-draft-discard]").addEventListener("click", () => {
      notice.hidden = true;
      write(null);
    });
  } else if (offered) write(null);

  form.addEventListener("input", ({ target }) => {
    const said = target.closest(".form-part")?.querySelector("summary .muted");
    if (said) said.textContent = "changed, not saved";
    clearTimeout(timer);
    timer = setTimeout(keep, WAIT);
  });
  form.addEventListener("submit", () => {
    isSent = true;
    keep();
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isSent && isChanged()) {
      keep();
      event.preventDefault();
    }
  });
}

if (form) keepDrafts();
