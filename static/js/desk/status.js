// The line that counts saved and pending judgments, and the banner that explains a problem.
const KEPT = "Judge on: what you judge is kept in this browser";

function link(url, text) {
  const made = document.createElement("a");
  Object.assign(made, { href: url, target: "_blank", textContent: text });
  return made;
}

function words(problem, data) {
  switch (problem.kind) {
    case "offline":
      return [`No connection. ${KEPT} and sent when the connection is back.`];
    case "signed-out":
      return ["Your session has ended. ", link(data.loginUrl, `Sign in again as ${data.assessorName}`), " (opens a new tab). Nothing is lost: your judgments wait in this browser."];
    case "other-user":
      return [`Somebody else is signed in in this browser. Your judgments wait here until you `, link(data.loginUrl, `sign in as ${data.assessorName}`), "."];
    case "forbidden":
      return [`The server refuses judgments of this topic (${problem.status}). They are kept in this browser and tried again; tell the organiser.`];
    case "storage":
      return [`This browser does not keep data, and the server did not take the judgment either (${problem.message}). It was NOT noted. Free disk space or leave private browsing, then judge the document again.`];
    default:
      return [`The server has a problem (${problem.status}). ${KEPT} and sent again soon.`];
  }
}

export class Status {
  constructor(data, saved, onShow) {
    this.data = data;
    this.saved = saved;
    this.onShow = onShow;
    this.line = document.getElementById("desk-saved");
    this.banner = document.getElementById("desk-banner");
    this.box = document.getElementById("desk-refused");
  }

  show(outbox, detail) {
    if (detail?.assignment === this.data.assignment) this.saved = detail.saved;
    const pending = outbox.waiting.length, kind = outbox.problem?.kind;
    const isOffline = kind === "offline" || (kind !== undefined && pending > 0);
    this.count(pending, outbox.refused.length, isOffline);
    this.warn(isOffline || kind === "storage" ? outbox.problem : null);
    if (this.box) this.listRefused(outbox);
  }

  count(pending, refused, isOffline) {
    this.line.textContent = `saved ${this.saved} · pending ${pending}${refused ? ` · not accepted ${refused}` : ""}`;
    this.line.classList.toggle("is-pending", pending > 0 && !isOffline);
    this.line.classList.toggle("is-offline", isOffline || refused > 0);
  }

  warn(problem) {
    const key = problem ? JSON.stringify(problem) : "";
    if (this.banner.dataset.problem === key) return;
    this.banner.dataset.problem = key;
    this.banner.hidden = !problem;
    this.banner.replaceChildren(...(problem ? words(problem, this.data) : []));
  }

  listRefused(outbox) {
    this.box.hidden = !outbox.refused.length;
    document.getElementById("desk-refused-list").replaceChildren(...outbox.refused.map((entry) => this.refusedRow(outbox, entry)));
  }

  refusedRow(outbox, entry) {
    const row = document.createElement("li");
    const text = document.createElement("p");
    text.textContent = `${entry.act.docno}: ${entry.refused}`;
    row.append(text);
    for (const [label, action] of [
      ["Show it", () => this.onShow(entry.act.docno)],
      ["Send again", () => outbox.sendAgain(entry.act.uuid)],
      ["Throw away", () => outbox.discard(entry.act.uuid)],
    ]) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "button button-small", textContent: label });
      button.addEventListener("click", action);
      row.append(button);
    }
    return row;
  }
}
