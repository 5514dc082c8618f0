// The body of a document as the task shows it: text, sanitised page, or raw page in a frame that may do nothing.
import { marked } from "./words.js";

const LONG = 20_000, BLOCK = 3_000;
// How many words are marked at most: own ones are looked for in the whole of a long document.
export const MOST = { own: 10_000, ofTopic: 1_000 };

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

// Inserts text as text only, so that a document cannot add markup. Returns whether it marked a word.
export function appendMarked(target, text, words, left = { ...MOST }) {
  let end = 0;
  for (const [start, after, isOwn] of marked(text, words, left)) {
    target.append(text.slice(end, start), element("mark", isOwn ? "own" : "", text.slice(start, after)));
    end = after;
  }
  target.append(text.slice(end));
  return end > 0;
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
  const left = { ...MOST };
  for (const part of parts) appendMarked(parts.length > 1 ? made.appendChild(element("div", "block")) : made, part, words, left);
  return made;
}

// The server has sanitised it: elements without addresses, and no attributes but spans of cells.
function pageElement(html, words) {
  const made = element("div", "document-text document-page");
  made.dir = "auto";
  made.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  const walker = document.createTreeWalker(made, NodeFilter.SHOW_TEXT), texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  const left = { ...MOST };
  for (const text of texts) {
    const parts = document.createDocumentFragment();
    if (appendMarked(parts, text.data, words, left)) text.replaceWith(parts);
  }
  return made;
}

// The frame is as high as the sanitised page, which stands unseen below it.
function frameElement({ docno, frame, html }) {
  const made = element("div", "document-frame"), inner = element("iframe");
  inner.sandbox = "";
  Object.assign(inner, { referrerPolicy: "no-referrer", tabIndex: -1, title: `Document ${docno}`, src: frame });
  made.append(inner, pageElement(html, null));
  return made;
}

export function extentLine(isPassage, key) {
  const line = element("p", "desk-extent", isPassage ? "The passage with most words of the topic. " : "The full text. ");
  const button = element("button", "button button-small");
  Object.assign(button, { type: "button", id: "desk-extent" });
  button.setAttribute("aria-keyshortcuts", key);
  if (key) button.append(element("kbd", "", key), " ");
  button.append(isPassage ? "Show the full text" : "Show the passage");
  line.append(button);
  return line;
}

function linkElement(link, key) {
  const made = element("a", "", "Read it elsewhere (new tab)");
  Object.assign(made, { href: link, target: "_blank", rel: "noopener noreferrer", referrerPolicy: "no-referrer" });
  made.dataset.elsewhere = "";
  if (!key) return made;
  made.setAttribute("aria-keyshortcuts", key);
  made.append(" ", element("kbd", "", key));
  return made;
}

function withoutText(link, key) {
  if (!link) {
    return element("p", "notice tone-warning", "The text of this document is not in Runpool yet. Tell the organiser, or skip it for now.");
  }
  const made = element("p", "notice tone-warning", "The text of this document is not in Runpool. ");
  made.append(linkElement(link, key));
  return made;
}

export function bodyElements(row, words, key) {
  if (!row.has_text) return [withoutText(row.link, key)];
  const made = [];
  if (row.link) made.push(element("p"));
  made[0]?.append(linkElement(row.link, key));
  if (row.frame) made.push(frameElement(row));
  else made.push(row.html ? pageElement(row.html, words) : textElement(row.text, words));
  return made;
}

// The body of the document that came with the page, as `bodyElements` takes it.
export function bodyIn(page) {
  const body = page.querySelector(".document-text"), formatted = page.querySelector(".document-page");
  return {
    has_text: Boolean(body),
    text: formatted ? "" : body?.textContent ?? "",
    html: formatted?.innerHTML ?? "",
    frame: page.querySelector(".document-frame iframe")?.getAttribute("src") ?? "",
    link: page.querySelector("[data-elsewhere]")?.href ?? "",
  };
}

// Keys that are pressed in a frame do not come out of it: whoever clicks into one goes on typing at the desk.
export function keepFocus() {
  addEventListener("blur", () => setTimeout(() => {
    const active = document.activeElement;
    if (active?.matches(".document-frame iframe")) active.closest("article").focus({ preventScroll: true });
  }));
}
