// Which places of a text are marked: words of the topic and the assessor's own words, phrases and wildcards, in any script.
// Letters are compared without case, accents and width, as campaign/text/tokens.py does. Scripts that write words together (Chinese,
// Japanese, Thai), and Korean, have no word ends; Hebrew and Arabic put short words in front of a word and endings behind it.
const TOGETHER = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]";
const OF_TOGETHER = new RegExp(TOGETHER, "u"), AFFIXED = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
const LETTER = "[\\p{L}\\p{N}\\p{M}]", APART = `(?!${TOGETHER})${LETTER}`;
const NOT_IN_WORD = `(?<!${APART})`, NO_WORD_AFTER = `(?!${APART})`, ENDING = `(?:(?!${TOGETHER})[\\p{L}\\p{M}]){0,3}`;
const ASCII = /^[\0-\x7f]*$/;
// Marks that one word may have or lack, what nobody sees, and the stretch of Arabic. All other marks are letters in effect.
const ACCENTS = "\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06dc"
  + "\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0711\\u0730-\\u074a\\u0898-\\u089f\\u08ca-\\u08e1\\u08e3-\\u08ff\\u1ab0-\\u1aff\\u1dc0-\\u1dff"
  + "\\u20d0-\\u20ff\\ufe20-\\ufe2f";
const IGNORED = "\\p{Default_Ignorable_Code_Point}\\u0640";
const DROPPED = new RegExp(`[${ACCENTS}${IGNORED}]`, "gu");
// Pieces that fold each by itself: what a normal form composes (marks, Korean letters, kana) stays together.
const FOLLOWS = `[\\p{M}${IGNORED}\\u1160-\\u11ff\\ud7b0-\\ud7ff\\u314f-\\u3163\\uff9e\\uff9f\\uffc2-\\uffdc]`;
const PIECES = new RegExp(`[\\0-\\x7f]+(?!${FOLLOWS})|[^]${FOLLOWS}*`, "gu");

// Upper case takes apart ß and joins both kinds of i and of sigma; lower case before it, since there is a large ẞ.
function foldedPiece(piece) {
  return [...piece.normalize("NFKD").replace(DROPPED, "")].map((one) => one.toLowerCase().toUpperCase().toLowerCase()).join("").normalize("NFC");
}

// The folded text, and the places in the original where each of its characters begins and ends; null where they are the same.
export function folded(text) {
  if (ASCII.test(text)) return { text: text.toLowerCase(), places: null, ends: null };
  const places = [], ends = [];
  let result = "";
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const isAscii = ASCII.test(piece), part = isAscii ? piece.toLowerCase() : foldedPiece(piece);
    result += part;
    for (let unit = 0; unit < part.length; unit += 1) {
      places.push(isAscii ? index + unit : index);
      ends.push(index + (isAscii ? unit + 1 : piece.length));
    }
  }
  return { text: result, places, ends };
}

function escaped(text) { return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }

// One word as a regular expression; `*` stands for any letters, also for none.
function word(text, suffix) {
  const letters = text.split("*").map(escaped).join(`${LETTER}*`);
  if (OF_TOGETHER.test(text)) return `${letters}(?!\\p{M})`;
  if (AFFIXED.test(text)) return `${NOT_IN_WORD}\\p{L}{0,3}${letters}\\p{L}{0,4}${NO_WORD_AFTER}`;
  return `${NOT_IN_WORD}${letters}${suffix}${NO_WORD_AFTER}`;
}

function phrase(words) { return words.map((one) => word(one, "")).join(`[^${LETTER.slice(1)}+`); }

// What an assessor types: words between blanks or commas, and "phrases in quotation marks".
export function ownTerms(text) {
  const terms = [];
  for (const [, quoted, single] of text.matchAll(/["“”„«»]([^"“”„«»]+)["“”„«»]|([^\s,;"“”„«»]+)/gu)) {
    const words = folded(quoted ?? single).text.split(/\s+/u).filter((one) => /[\p{L}\p{N}]/u.test(one));
    if (words.length) terms.push(words);
  }
  return terms;
}

export function pattern(terms, own) {
  const parts = [];
  if (own.length) parts.push(`(?<own>${own.map(phrase).join("|")})`);
  const ofTopic = terms.map((term) => folded(term).text).filter(Boolean).map((term) => word(term, ENDING));
  if (ofTopic.length) parts.push(ofTopic.join("|"));
  return parts.length ? new RegExp(parts.join("|"), "gu") : null;
}

// The marked places of a text: [start, end, whether it is one of the assessor's own]. `left`: how many own words and words of the
// topic may still be marked; it is counted down, since a document has several texts.
export function* marked(text, words, left) {
  if (!words || !isAnyLeft(words, left)) return;
  const { text: searched, places, ends } = folded(text);
  for (const match of searched.matchAll(words)) {
    const isOwn = Boolean(match.groups?.own);
    if (!isCounted(match[0], isOwn ? "own" : "ofTopic", left)) continue;
    const start = match.index, end = start + match[0].length;
    yield [places ? places[start] : start, ends ? ends[end - 1] : end, isOwn];
    if (!isAnyLeft(words, left)) return;
  }
}

function isCounted(found, kind, left) {
  if (!found.length || left[kind] <= 0) return false;
  left[kind] -= 1;
  return true;
}

function isAnyLeft(words, left) { return left.ofTopic > 0 || (left.own > 0 && words.source.startsWith("(?<own>")); }
