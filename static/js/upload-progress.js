// Shows how much of a form[data-upload-progress] has been sent. Without script, or on old browsers, the form posts normally.
// The answer replaces the page in place (not by a second request), so that its messages are seen.
function barFor(form) {
  let place = form.querySelector("[data-upload-status]");
  if (!place) {
    place = document.createElement("div");
    place.dataset.uploadStatus = "";
    form.append(place);
  }
  const bar = document.createElement("progress");
  const text = document.createElement("p");
  place.className = "progress";
  text.className = "progress-count";
  text.setAttribute("role", "status");
  bar.max = 1;
  bar.setAttribute("aria-label", "Upload");
  place.replaceChildren(bar, text);
  return { bar, text, place };
}

let replaced = false;

function showAnswer(request) {
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  document.title = page.title;
  if (request.responseURL !== location.href) history.pushState(null, "", request.responseURL);
  replaced = true;
  document.body.replaceWith(page.body);
  window.htmx?.process(document.body);
  document.body.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true }));
  window.scrollTo(0, 0);
  document.querySelector("#main")?.focus();
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

function send(form, submitter) {
  const { bar, text, place } = barFor(form);
  const request = new XMLHttpRequest();
  const buttons = [...form.querySelectorAll("button:not(:disabled)")];
  const data = new FormData(form, submitter);
  buttons.forEach((button) => { button.disabled = true; });

  let sent = false;
  request.upload.addEventListener("load", () => { sent = true; });
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = event.loaded / event.total;
    text.textContent = event.loaded < event.total
      ? `${megabytes(event.loaded)} of ${megabytes(event.total)} MB sent`
      : "All sent. Waiting for the server.";
  });
  request.addEventListener("load", () => showAnswer(request));
  request.addEventListener("error", () => {
    buttons.forEach((button) => { button.disabled = false; });
    place.className = "notice tone-bad";
    place.textContent = sent
      ? "The connection broke after everything was sent, so it may have arrived. Look before you send it again."
      : "The connection broke before everything was sent. Nothing was stored. Send it again.";
    place.setAttribute("role", "alert");
  });
  request.open("POST", submitter?.hasAttribute("formaction") ? submitter.formAction : form.action);
  request.send(data);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("form[data-upload-progress]")) return;
  event.preventDefault();
  send(form, event.submitter);
});

window.addEventListener("popstate", () => { if (replaced) location.reload(); });
