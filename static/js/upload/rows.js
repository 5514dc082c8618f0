// Several runs in one form[data-upload-rows]: a row for each chosen file with its tag and priority. Files are sent one after
// the other, each by its own request, so that a run that has arrived counts whatever happens to the others. Each of several
// runs has entries of its own for how it was made, which follow those of the form until somebody changes them.
import { suggestDetails, suggestTag } from "./tag-from-file.js";
import { csrfToken, nameUser, toldOfSignIn } from "../session.js";
import { UploadBar, size } from "./bar.js";

const form = document.querySelector("form[data-upload-rows]");
const shared = [...(form?.querySelectorAll("[data-about] :is(input, select, textarea)") ?? [])];
const OF_ROW = / of row \d+$/;
let rowCount = 0;

// A copy of the form's entries about a run, whose names and ids end with that of the row.
function aboutFields(end) {
  return [...form.querySelectorAll("[data-about]")].map((part) => {
    const copy = part.cloneNode(true);
    copy.removeAttribute("data-about");
    for (const element of copy.querySelectorAll("[id], [for], [name], [aria-describedby]")) {
      for (const name of ["id", "for", "name", "aria-describedby"]) {
        const value = element.getAttribute(name);
        if (value) element.setAttribute(name, name === "name" ? value + end : value.replaceAll(/\S+/g, `$&${end.replaceAll(" ", "-")}`));
      }
    }
    return copy;
  });
}

class Row {
  constructor(file, priority, remove) {
    this.file = file;
    this.received = false;
    this.element = form.querySelector("template[data-row]").content.firstElementChild.cloneNode(true);
    this.tag = this.part("tag");
    this.priority = this.part("priority");
    this.part("name").textContent = file.name;
    this.part("size").textContent = size(file.size);
    this.part("removes").textContent = ` ${file.name}`;
    this.priority.value = priority;
    this.part("remove").addEventListener("click", () => remove(this));
    rowCount += 1;
    this.end = ` of row ${rowCount}`;
    this.changed = new Set();
    this.part("own").append(...aboutFields(this.end));
    this.own = [...this.part("own").querySelectorAll("input, select, textarea")];
    this.required = new Set(this.own.filter((field) => field.required));
    this.part("own").setAttribute("aria-label", file.name);
    this.part("own").addEventListener("input", ({ target }) => this.changed.add(this.nameOf(target)));
    this.follow();
    const limit = Number(form.dataset.maxBytes);
    if (file.size === 0) this.fault = "The file is empty. Remove it and choose the right one.";
    if (file.size > limit) this.fault = `The file is larger than ${form.dataset.maxSize}. Remove it; compressed with gzip it may fit.`;
    if (this.fault) this.refuse(this.fault);
    else {
      suggestTag(file).then((tag) => { if (this.tag.value === "") this.tag.value = tag; });
      suggestDetails(file).then((details) => this.suggest(details));
    }
  }

  nameOf(field) {
    return field.name.replace(OF_ROW, "");
  }

  // The entries of the form, where the row has none of its own.
  follow() {
    for (const field of this.own.filter((one) => !this.changed.has(this.nameOf(one)))) {
      const isTick = field.type === "radio" || field.type === "checkbox";
      const same = shared.find((one) => one.name === this.nameOf(field) && (!isTick || one.value === field.value));
      if (isTick) field.checked = same.checked;
      else field.value = same.value;
    }
  }

  suggest(details) {
    for (const [name, value] of Object.entries(details)) {
      const field = this.own.find((one) => this.nameOf(one) === name);
      if (this.changed.has(name) || !field) continue;
      field.value = value;
      this.changed.add(name);
    }
  }

  showOwn(isShown) {
    this.part("own").hidden = !isShown;
    for (const field of this.own) {
      field.disabled = !isShown || this.received;
      field.required = isShown && this.required.has(field);
    }
  }

  part(name) {
    return this.element.querySelector(`[data-${name}]`);
  }

  showOutcome(...content) {
    this.part("outcome").replaceChildren(...content);
  }

  refuse(...message) {
    const error = document.createElement("p");
    error.className = "errors";
    error.append(...message);
    this.showOutcome(error);
  }

  data() {
    const data = new FormData(form);
    for (const name of new Set(data.keys())) {
      if (!OF_ROW.test(name)) continue;
      if (name.endsWith(this.end)) data.set(name.replace(OF_ROW, ""), data.get(name));
      data.delete(name);
    }
    data.set("tag", this.tag.value);
    data.set("priority", this.priority.value);
    data.set("file", this.file);
    data.set("csrfmiddlewaretoken", csrfToken());
    return data;
  }

  take(request, page) {
    showWhatIsLeft(page);
    const answer = page.querySelector("[data-sent]");
    if (!answer && request.status === 507) {
      this.refuse("The site has no room for this file now. It was not stored: tell the operators of the site, and send it again later.");
      return;
    }
    if (!answer && request.status === 503) {
      this.refuse("The site cannot store files at this moment. Nothing was stored: wait a minute, then send it again.");
      return;
    }
    if (!answer) {
      this.refuse(`The server did not take the file (${request.status}). Reload the page, then send it again.`);
      return;
    }
    const shown = document.adoptNode(answer);
    this.showOutcome(shown);
    window.htmx?.process(this.element);
    if (shown.dataset.sent !== "received") return;
    this.received = true;
    this.url = shown.dataset.url;
    this.tag.readOnly = this.priority.readOnly = true;
    for (const field of this.own) field.disabled = true;
    this.part("remove").hidden = true;
  }
}

// The page said how many runs each team may still send when it was opened; every answer and every outcome says it anew.
function showWhatIsLeft(answer) {
  for (const told of answer.querySelectorAll("[data-told-of]")) {
    const team = told.dataset.toldOf;
    for (const place of document.querySelectorAll(`[data-left-of="${team}"]`)) place.textContent = told.textContent;
    const option = form.querySelector(`select[name="team"] option[value="${team}"]`);
    if (option) option.textContent = told.dataset.choice;
  }
}

class Upload {
  constructor() {
    this.rows = [];
    this.list = form.querySelector("[data-rows]");
    this.input = form.querySelector('input[type="file"]');
    this.button = form.querySelector('button[type="submit"]');
    this.bar = new UploadBar(form, () => { this.cancelled = true; this.request?.abort(); });
    this.input.required = false;
    this.required = new Set(shared.filter((field) => field.required));
    for (const single of form.querySelectorAll("[data-single]")) {
      single.hidden = true;
      single.querySelectorAll("input").forEach((input) => { input.disabled = true; });
    }
    this.input.addEventListener("change", () => this.add([...this.input.files]));
    document.body.addEventListener("htmx:load", (event) => showWhatIsLeft(event.detail.elt));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    form.addEventListener("input", () => this.check());
    this.check();
  }

  add(files) {
    for (const file of files) {
      const next = Number(this.list.dataset.nextPriority);
      // Empty where it depends on the chosen team: the site then gives the next one.
      const priority = next ? Math.max(next - 1, ...this.rows.map((row) => Number(row.priority.value))) + 1 : "";
      const row = new Row(file, priority, (removed) => this.remove(removed));
      this.rows.push(row);
      this.list.append(row.element);
    }
    this.input.value = "";
    this.check();
  }

  remove(row) {
    if (this.button.disabled) return; // it may be on its way already
    const after = row.element.nextElementSibling ?? row.element.previousElementSibling;
    this.rows = this.rows.filter((other) => other !== row);
    row.element.remove();
    (after?.querySelector("[data-remove]:not([hidden])") ?? this.input).focus();
    this.check();
  }

  waiting() {
    return this.rows.filter((row) => !row.received);
  }

  showOwn(isShown) {
    form.querySelector("[data-for-all]").hidden = !isShown;
    for (const field of shared) field.required = !isShown && this.required.has(field);
    for (const row of this.rows) {
      row.showOwn(isShown);
      if (!row.received) row.follow();
    }
  }

  check() {
    const waiting = this.waiting();
    const tags = this.rows.map((row) => row.tag.value);
    this.list.hidden = this.rows.length === 0;
    this.showOwn(this.rows.length > 1);
    this.input.setCustomValidity(waiting.length ? "" : "Choose a run file.");
    this.button.textContent = waiting.length > 1 ? `Upload and check ${waiting.length} runs` : "Upload and check";
    for (const row of waiting) {
      const isTwice = row.tag.value !== "" && tags.indexOf(row.tag.value) !== tags.lastIndexOf(row.tag.value);
      row.tag.setCustomValidity(row.fault ?? (isTwice ? "Two of these files have this tag. Each run needs its own." : ""));
    }
  }

  async send() {
    const rows = this.waiting();
    const total = rows.reduce((sum, row) => sum + row.file.size, 0);
    this.cancelled = false;
    this.button.disabled = this.input.disabled = true;
    this.bar.start();
    this.bar.show(0, total);
    let before = 0;
    for (const row of rows) row.showOutcome("waiting");
    for (const [index, row] of rows.entries()) {
      row.showOutcome("being sent");
      const { failure, sent, told } = await this.post(row, (loaded) => this.bar.show(Math.min(before + loaded, total), total));
      if (failure || told) {
        for (const other of rows.slice(index)) other.showOutcome();
        if (told) this.bar.report(`${this.howMany()} received. `, "bad", ...told);
        else this.stop(row, failure, sent);
        this.restore();
        return;
      }
      before += row.file.size;
    }
    this.finish();
  }

  post(row, show) {
    return new Promise((done) => {
      const request = this.request = new XMLHttpRequest();
      let sent = false;
      request.upload.addEventListener("load", () => { sent = true; });
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) show(row.file.size * (event.loaded / event.total));
      });
      request.addEventListener("load", () => {
        const page = new DOMParser().parseFromString(request.responseText, "text/html");
        const told = toldOfSignIn(request, page, "The rest was not stored; files and entries are still here.");
        if (!told) row.take(request, page);
        done({ told });
      });
      request.addEventListener("abort", () => done({ failure: "abort", sent }));
      request.addEventListener("error", () => done({ failure: "error", sent }));
      request.open("POST", form.action);
      request.setRequestHeader("HX-Request", "true");
      nameUser(request);
      request.send(row.data());
    });
  }

  stop(row, failure, sent) {
    row.refuse(sent
      ? "It was sent completely, but no answer came: it may have arrived. If you send it again and the tag is taken, it has."
      : "It was not sent completely. Nothing of it is stored.");
    const what = failure === "abort" ? "Cancelled." : "The connection broke. Your entries are still here: upload again when you are back online.";
    this.bar.report(`${what} ${this.howMany()} received.`, failure === "abort" ? "warning" : "bad");
  }

  howMany() {
    return `${this.rows.length - this.waiting().length} of ${this.rows.length} ${this.rows.length === 1 ? "run" : "runs"}`;
  }

  finish() {
    const received = this.rows.filter((row) => row.received);
    this.bar.end();
    if (received.length === 1 && this.rows.length === 1) {
      location.assign(received[0].url);
      return;
    }
    const link = document.createElement("a");
    link.href = form.dataset.list;
    link.textContent = "See the runs";
    const isDone = received.length === this.rows.length;
    const rest = isDone ? "" : " Correct what is marked in red, then upload again.";
    this.bar.report(`${this.howMany()} received.${rest} `, isDone ? "good" : "warning", ...(received.length ? [link] : []));
    this.restore();
    this.waiting()[0]?.tag.focus();
  }

  restore() {
    this.button.disabled = this.input.disabled = false;
    this.check();
  }
}

function start() {
  return new Upload();
}

if (form) start();
