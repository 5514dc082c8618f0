// The assessor's own judgments in a dialog: fetched when it is opened, filtered and searched by the server.
const AWAY = "The list comes from the server, which cannot be reached now. Close it and judge on; try again when the connection is back.";

function acts(count) { return `${count} ${count === 1 ? "entry" : "entries"}`; }

export function listenToOwnList({ data, outbox, inTurn, walk }) {
  const dialog = document.getElementById("desk-list"), form = document.getElementById("own-form");
  const notice = document.getElementById("desk-list-waiting"), said = document.getElementById("desk-list-said");

  function tell(text) {
    notice.hidden = !text;
    notice.textContent = text;
  }

  function waiting() {
    const count = outbox.waiting.filter((entry) => entry.assignment === data.assignment).length;
    return count ? `${acts(count)} of yours ${count === 1 ? "waits" : "wait"} in this browser: the list shows ${count === 1 ? "it" : "them"} once sent.` : "";
  }

  document.getElementById("desk-list-opener").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    dialog.showModal();
    document.getElementById("own-text").focus();
    // What is typed or ticked and not stored yet belongs into the list.
    inTurn(walk.keep).then(() => form.dispatchEvent(new CustomEvent("opened")));
  });

  dialog.addEventListener("htmx:afterSwap", () => {
    tell(waiting());
    said.textContent = dialog.querySelector("#own-lines p")?.textContent ?? "";
    // An answer that comes late may lack the line that had the focus.
    if (dialog.open && !dialog.contains(document.activeElement)) document.getElementById("own-text").focus();
  });
  for (const failure of ["htmx:sendError", "htmx:responseError"]) dialog.addEventListener(failure, () => tell(AWAY));

  dialog.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-docno]");
    if (!link || event.ctrlKey || event.metaKey || !walk.list.item(link.dataset.docno)) return;
    event.preventDefault();
    dialog.close();
    inTurn(() => walk.goTo(link.dataset.docno)).then(() => walk.view.focus());
  });
}
