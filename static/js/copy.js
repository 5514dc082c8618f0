// A button with data-copy="<id of an element>" (or data-copy-text) copies that text to the clipboard and shows that it did.
const SHOWN_FOR = 1600;

function textFor(button) {
  if (button.dataset.copyText !== undefined) return button.dataset.copyText;
  const source = button.dataset.copy ? document.getElementById(button.dataset.copy) : button.previousElementSibling;
  return source ? source.textContent.trim() : "";
}

async function copy(button) {
  const text = textFor(button);
  const before = button.dataset.copyLabel ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const source = button.dataset.copy ? document.getElementById(button.dataset.copy) : button.previousElementSibling;
    if (source) window.getSelection()?.selectAllChildren(source);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = before; }, SHOWN_FOR);
}

function reveal(scope) {
  scope.querySelectorAll?.("[data-copy], [data-copy-text]").forEach((button) => { button.hidden = false; });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-text]");
  if (button) copy(button);
});
document.addEventListener("htmx:load", (event) => reveal(event.target));
reveal(document);
