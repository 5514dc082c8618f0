// The documents of the desk: fetched and built ahead with their marked words, and cached for going back.
import { marked, pattern } from "./words.js";

const BUILT = 8, AHEAD = 40, AT_ONCE = 10, KEPT = 120, CHARACTERS = 20_000_000;
const LONG = 20_000, BLOCK = 3_000;
export const MARKS = 1_000;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

// Inserts text as text only, so that a document cannot add markup. Returns the number of words it marked.
function appendMarked(target, text, words, most = MARKS) {
  let end = 0, count = 0;
  for (const [start, after, isOwn] of marked(text, words, most)) {
    target.append(text.slice(end, start), element("mark", isOwn ? "own" : "", text.slice(start, after)));
    end = after;
    count += 1;
  }
  target.append(text.slice(end));
  return count;
}

// A long document is cut at line ends into blocks that the browser lays out only when they come into view.
function blocks(text) {
  if (text.length < LONG) return [text];
  const parts = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start + BLOCK);
    parts.push(text.slice(start, end < 0 ? text.length : end));
    start = end < 0 ? text.length : end + 1;
  }
  return parts;
}

function textElement(text, words) {
  const made = element("div", "document-text");
  const parts = blocks(text);
  let most = MARKS;
  for (const part of parts) {
    const block = parts.length > 1 ? made.appendChild(element("div", "block")) : made;
    most -= appendMarked(block, part, words, most);
  }
  return made;
}

function withoutText(link) {
  if (!link) {
    return element("p", "notice tone-warning", "The text of this document is not in Runpool yet. Tell the organiser, or skip it for now.");
  }
  const made = element("p", "notice tone-warning", "The text of this document is not in Runpool. ");
  const anchor = element("a", "", "Read it elsewhere (new tab)");
  Object.assign(anchor, { href: link, target: "_blank", rel: "noopener noreferrer", referrerPolicy: "no-referrer" });
  made.append(anchor);
  return made;
}

export class Documents {
  constructor({ url, assignment, terms }) {
    this.url = url;
    this.assignment = assignment;
    this.terms = terms;
    this.own = [];
    this.texts = new Map();
    this.pages = new Map();
    this.fetching = new Map();
  }

  has(docno) { return this.texts.has(docno); }
  titleOf(docno) { return this.texts.get(docno)?.title ?? ""; }
  versionOf(docno) { return this.texts.get(docno)?.sha256 ?? ""; }
  alikeOf(docno) { return this.texts.get(docno)?.alike ?? []; }

  keep(row) {
    this.texts.delete(row.docno);
    this.texts.set(row.docno, row);
    for (const docno of this.texts.keys()) {
      if (this.texts.size <= KEPT) break;
      this.texts.delete(docno);
      this.pages.delete(docno);
    }
  }

  markOwn(words) {
    this.own = words;
    this.pages.clear();
  }

  // The built page of a document that was fetched.
  page(docno) {
    const known = this.pages.get(docno);
    if (known) return known;
    const row = this.texts.get(docno);
    const page = element("div", "desk-page");
    page.dataset.docno = docno;
    page.append(element("p", "docno", docno));
    if (row.title) {
      const title = element("h2");
      appendMarked(title, row.title, pattern(this.terms, this.own));
      page.append(title);
    }
    if (row.has_text) {
      page.append(textElement(row.text, pattern(this.terms, this.own)));
    } else {
      page.append(withoutText(row.link));
    }
    this.pages.set(docno, page);
    return page;
  }

  // Fetches the coming documents, enough of them to judge on for a while without a connection, and builds the pages of
  // the next few while nothing else happens. Large documents are fetched less far ahead.
  async prefetch(docnos) {
    const coming = docnos.slice(0, AHEAD);
    this.buildWhenIdle(coming);
    for (let start = 0; start < coming.length; start += AT_ONCE) {
      if (start && this.characters() > CHARACTERS) return;
      const missing = coming.slice(start, start + AT_ONCE).filter((docno) => !this.has(docno) && !this.fetching.has(docno));
      if (missing.length) await this.fetchThese(missing);
      if (!start) this.buildWhenIdle(coming);
    }
  }

  characters() {
    let sum = 0;
    for (const row of this.texts.values()) sum += row.text.length;
    return sum;
  }

  fetchThese(docnos) {
    const query = new URLSearchParams([["assignment", this.assignment], ...docnos.map((docno) => ["docno", docno])]);
    const request = this.fetch(`${this.url}?${query}`).finally(() => docnos.forEach((docno) => this.fetching.delete(docno)));
    docnos.forEach((docno) => this.fetching.set(docno, request));
    return request;
  }

  async fetch(url) {
    const response = await fetch(url, { redirect: "manual", headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`documents: ${response.status}`);
    for (const row of (await response.json()).documents) this.keep(row);
  }

  async load(docno) {
    if (this.has(docno)) return;
    await (this.fetching.get(docno) ?? this.fetchThese([docno]));
  }

  buildWhenIdle(docnos) {
    const idle = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 20));
    for (const docno of docnos.slice(0, BUILT)) idle(() => { if (this.has(docno)) this.page(docno); });
  }
}
