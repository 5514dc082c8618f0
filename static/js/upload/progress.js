// Shows how much of a form[data-upload-progress] has been sent. Without script, or on old browsers, the form posts normally.
// The answer replaces the page in place (not by a second request), so that its messages are seen.
import { csrfToken, nameUser, toldOfSignIn } from "../session.js";
import { UploadBar } from "./bar.js";

let replaced = false;

function showAnswer(request, page) {
  document.title = page.title;
  if (request.responseURL !== location.href) history.pushState(null, "", request.responseURL);
  replaced = true;
  document.body.replaceWith(page.body);
  window.htmx?.process(document.body);
  document.body.dispatchEvent(new CustomEvent("htmx:load", { bubbles: true }));
  window.scrollTo(0, 0);
  document.querySelector("#main")?.focus();
}

function send(form, submitter) {
  const request = new XMLHttpRequest();
  const bar = new UploadBar(form, () => request.abort());
  const data = new FormData(form, submitter);
  const buttons = [...form.querySelectorAll("button:not(:disabled)")];
  data.set("csrfmiddlewaretoken", csrfToken());
  const fail = (text, tone, ...more) => {
    buttons.forEach((button) => { button.disabled = false; });
    bar.report(text, tone, ...more);
  };
  buttons.forEach((button) => { button.disabled = true; });
  bar.start();

  let sent = false;
  request.upload.addEventListener("load", () => { sent = true; });
  request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.show(event.loaded, event.total); });
  request.addEventListener("load", () => {
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const [text, ...more] = toldOfSignIn(request, page) ?? [];
    if (text) { fail(text, "bad", ...more); return; }
    bar.end();
    showAnswer(request, page);
  });
  request.addEventListener("abort", () => fail(
    sent ? "Cancelled after everything was sent, so it may have arrived. Check before you send it again."
      : "Cancelled. Nothing was stored.",
    "warning",
  ));
  request.addEventListener("error", () => fail(
    sent ? "The connection broke after everything was sent, so it may have arrived. Check before you send it again."
      : "The connection broke before everything was sent. Nothing was stored. Send it again.",
    "bad",
  ));
  request.open("POST", submitter?.hasAttribute("formaction") ? submitter.formAction : form.action);
  nameUser(request);
  request.send(data);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("form[data-upload-progress]")) return;
  event.preventDefault();
  send(form, event.submitter);
});

window.addEventListener("popstate", () => { if (replaced) location.reload(); });
