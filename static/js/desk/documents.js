// The documents of the desk: fetched and built ahead with their marked words, and cached for going back.
import { appendMarked, bodyElements, element, extentLine } from "./body.js";
import { bestPassage, LONG_FOR_A_PASSAGE } from "./passage.js";
import { pattern } from "./words.js";

const BUILT = 8, AHEAD = 40, AT_ONCE = 10, KEPT = 120, CHARACTERS = 20_000_000;

export class Documents {
  // `passageFirst`: of long documents the best passage is shown until the full text is asked for; `fullKey` is the key of that.
  constructor({ url, assignment, terms, keyElsewhere, passageFirst, fullKey }) {
    this.passageFirst = passageFirst;
    this.fullKey = fullKey;
    this.full = new Set();
    this.url = url;
    this.assignment = assignment;
    this.terms = terms;
    this.keyElsewhere = keyElsewhere;
    this.own = [];
    this.texts = new Map();
    this.pages = new Map();
    this.fetching = new Map();
  }

  has(docno) { return this.texts.has(docno); }
  titleOf(docno) { return this.texts.get(docno)?.title ?? ""; }
  versionOf(docno) { return this.texts.get(docno)?.sha256 ?? ""; }
  hasPassage(docno) { return this.passageFirst && (this.texts.get(docno)?.text.length ?? 0) > LONG_FOR_A_PASSAGE; }
  extentOf(docno) { return this.hasPassage(docno) && !this.full.has(docno) ? "passage" : "full"; }
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

  // From the passage to the full text, or back.
  changeExtent(docno) {
    if (!this.full.delete(docno)) this.full.add(docno);
    this.pages.delete(docno);
  }

  body(row) {
    const words = pattern(this.terms, this.own);
    if (!this.hasPassage(row.docno)) return bodyElements(row, words, this.keyElsewhere);
    const isPassage = this.extentOf(row.docno) === "passage";
    const text = isPassage ? bestPassage(row.text, words) : row.text;
    return [extentLine(isPassage, this.fullKey), ...bodyElements({ ...row, text }, words, this.keyElsewhere)];
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
    page.append(...this.body(row));
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
    for (const row of this.texts.values()) sum += row.text.length + row.html.length;
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
