// Judgments on their way to the server. Each is stored in the browser first, sent in order in the background, retried until
// the server has answered for it, and only then deleted. A judgment has a UUID, so that sending it twice (two tabs, a lost
// answer) records it once.
import { csrfToken } from "../session.js";
const DATABASE = "runpool", STORE = "outbox", FALLBACK = "runpool-outbox:";
const BATCH = 20, TRIALS = 3, PATIENCE = 20_000, SHORTEST = 1_000, LONGEST = 60_000;

function asPromise(request) {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}

class DatabaseStore {
  constructor(database) { this.database = database; }

  static async open() {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE, { keyPath: "key", autoIncrement: true }));
    return new DatabaseStore(await asPromise(request));
  }

  // Resolves when the transaction is complete; with "strict" durability the data is on disk by then.
  write(work, durability = "relaxed") {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability });
      const fail = () => reject(transaction.error);
      transaction.addEventListener("complete", resolve);
      transaction.addEventListener("abort", fail);
      transaction.addEventListener("error", fail);
      work(transaction.objectStore(STORE));
    });
  }

  all() { return asPromise(this.database.transaction(STORE).objectStore(STORE).getAll()); }
  add(entry) { return this.write((store) => store.add(entry), "strict"); }
  replace(entry) { return this.write((store) => store.put(entry)); }
  remove(keys) { return this.write((store) => keys.forEach((key) => store.delete(key))); }
}

// For browsers that refuse IndexedDB (some private windows). One item for each judgment, so that tabs cannot overwrite
// each other's; the time in the key keeps their order.
class PlainStore {
  async all() {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(FALLBACK)).toSorted();
    return keys.map((key) => ({ ...JSON.parse(localStorage.getItem(key)), key }));
  }
  async add(entry) { await this.replace({ ...entry, key: `${FALLBACK}${entry.act.judged_at}:${entry.act.uuid}` }); }
  async replace(entry) { localStorage.setItem(entry.key, JSON.stringify(entry)); }
  async remove(keys) { keys.forEach((key) => localStorage.removeItem(key)); }
}

async function openStore() {
  const plain = new PlainStore();
  let store;
  try {
    store = await DatabaseStore.open();
  } catch {
    return plain;
  }
  for (const { key, ...entry } of await plain.all().catch(() => [])) {
    await store.add(entry);
    await plain.remove([key]);
  }
  return store;
}

export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function problemOf(status) {
  // 403 is a missing or old CSRF token; signing in, or any page of the site, brings a new one.
  if (status === 401 || status === 403) return { kind: "signed-out" };
  if (status === 409) return { kind: "other-user" };
  if (status === 404) return { kind: "forbidden", status };
  return { kind: "server", status };
}

class Outbox extends EventTarget {
  constructor(store, assessor) {
    super();
    this.store = store;
    this.assessor = assessor;
    this.entries = [];
    this.problem = null;
    this.delay = 0;
    this.timer = null;
    this.sending = false;
    this.askedAgain = false;
  }

  get waiting() { return this.entries.filter((entry) => !entry.refused); }
  get refused() { return this.entries.filter((entry) => entry.refused); }

  // Resolves when the judgment cannot be lost any more; rejects when neither browser nor server would keep it.
  async put(url, assignment, act) {
    const entry = { assessor: this.assessor, url, assignment, act };
    try {
      await this.store.add(entry);
    } catch (error) {
      await this.putOnServer(entry, error);
      return;
    }
    await this.read();
    this.sendSoon(0);
  }

  async putOnServer(entry, storageError) {
    const { answer } = await this.post([entry]);
    const result = answer?.results?.find((one) => one.uuid === entry.act.uuid);
    if (result?.state !== "saved") throw result ? new Error(result.message) : storageError;
    this.notify({ assignment: entry.assignment, saved: answer.saved, growth: answer.growth });
  }

  async read() {
    this.entries = await this.kept();
    this.notify();
  }

  // What the browser keeps for this assessor.
  async kept() { return (await this.store.all()).filter((entry) => entry.assessor === this.assessor); }

  async discard(uuid) {
    await this.store.remove(this.entries.filter((entry) => entry.act.uuid === uuid).map((entry) => entry.key));
    await this.read();
  }

  // Sends an act that was refused once more: the reason may be gone.
  async sendAgain(uuid) {
    for (const { refused: _, ...entry } of this.entries.filter((one) => one.act.uuid === uuid)) await this.store.replace(entry);
    await this.read();
    this.sendSoon(0);
  }

  notify(detail = null) { this.dispatchEvent(new CustomEvent("change", { detail })); }

  sendSoon(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), delay);
  }

  async send() {
    if (this.sending) { this.askedAgain = true; return; }
    this.sending = true;
    this.askedAgain = false;
    try {
      await exclusively(() => this.sendAll());
    } catch (error) {
      this.problem = { kind: "storage", message: String(error) };
    } finally {
      this.sending = false;
    }
    this.notify();
    if (!this.waiting.length) { this.delay = 0; return; }
    this.delay = this.problem ? Math.min(Math.max(this.delay * 2, SHORTEST), LONGEST) : 0;
    // Asked meanwhile, because the connection is back or something was judged: the problem may be over.
    this.sendSoon(this.askedAgain ? 0 : this.delay * (0.75 + Math.random() / 2));
  }

  // One address after the other, each in order. A problem at one address does not hold up the others. After a server error
  // judgments are sent one by one, so that one bad judgment does not hold up the rest.
  async sendAll() {
    await this.read();
    let problem = null, most = BATCH, failures = 0;
    const held = new Set();
    for (;;) {
      const open = this.waiting.filter((entry) => !held.has(entry.key));
      if (!open.length) break;
      const same = open.filter((entry) => entry.url === open[0].url && entry.assignment === open[0].assignment);
      const batch = same.slice(0, most);
      const failure = await this.sendBatch(batch);
      if (!failure) { failures = 0; continue; }
      problem = failure;
      const isServerError = failure.kind === "server";
      if (failure.kind === "offline" || (isServerError && ++failures >= TRIALS)) break;
      if (isServerError && batch.length > 1) most = 1;
      else (isServerError ? batch : same).forEach((entry) => held.add(entry.key));
    }
    this.problem = problem;
  }

  // Resolves to null when the server has answered for every judgment, else to the problem.
  async sendBatch(batch) {
    const { problem, answer } = await this.post(batch);
    return problem ?? this.settle(batch, answer);
  }

  // Resolves to { answer } or { problem }.
  post(batch) { return this.postTo(batch[0].url, batch[0].assignment, batch.map((entry) => entry.act)); }

  async postTo(url, assignment, judgments) {
    const body = JSON.stringify({ assessor: this.assessor, assignment, judgments });
    let status;
    try {
      const response = await fetch(url, {
        method: "POST", body, redirect: "manual", credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE),
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        keepalive: body.length < 30_000,
      });
      status = response.status;
      if (status !== 200 && status !== 422) return { problem: problemOf(status) };
      return { answer: await response.json() };
    } catch (error) {
      return { problem: status ? problemOf(status) : { kind: "offline", message: String(error) } };
    }
  }

  async settle(batch, answer) {
    const results = new Map((answer.results ?? []).map((result) => [result.uuid, result]));
    const saved = batch.filter((entry) => results.get(entry.act.uuid)?.state === "saved");
    const refused = batch.filter((entry) => results.get(entry.act.uuid)?.state === "refused");
    if (!saved.length && !refused.length) return { kind: "server", status: 200 };
    await this.store.remove(saved.map((entry) => entry.key));
    for (const entry of refused) await this.store.replace({ ...entry, refused: results.get(entry.act.uuid).message });
    this.entries = await this.kept();
    this.problem = null;
    this.notify({ assignment: batch[0].assignment, saved: answer.saved, growth: answer.growth });
    return null;
  }

  // Asks for the documents of a growing pool without a judgment to send. Resolves to the problem, or null.
  async ask(url, assignment) {
    const { problem, answer } = await this.postTo(url, assignment, []);
    if (answer) this.notify({ assignment, saved: answer.saved, growth: answer.growth });
    return problem ?? null;
  }
}

// One tab sends at a time where the browser can arrange it; where not, sending twice does no harm.
function exclusively(work) {
  return navigator.locks ? navigator.locks.request("runpool-outbox", work) : work();
}

export async function openOutbox(assessor) {
  const outbox = new Outbox(await openStore(), assessor);
  await outbox.read();
  const retry = () => {
    outbox.delay = 0;
    if (outbox.waiting.length) outbox.sendSoon(0);
  };
  addEventListener("online", retry);
  addEventListener("offline", () => { outbox.problem = { kind: "offline" }; outbox.notify(); });
  addEventListener("focus", retry);
  document.addEventListener("visibilitychange", retry);
  if (!navigator.onLine) outbox.problem = { kind: "offline" };
  retry();
  return outbox;
}
