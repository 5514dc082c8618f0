// Which places of a text are marked: words of the topic and the assessor's own words, phrases and wildcards, in any script.
// Letters are compared without case and accents. Scripts that write words together (Chinese, Japanese, Thai) have no word ends;
// Hebrew and Arabic put short words in front of a word and endings behind it.
const TOGETHER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const AFFIXED = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
const NOT_IN_WORD = "(?<![\\p{L}\\p{N}])", NO_WORD_AFTER = "(?![\\p{L}\\p{N}])";
const ASCII = /^[\0-\x7f]*$/, ACCENT = /\p{M}/u;

// The text without case and accents, and the place of each of its characters in the original; null where they are the same.
export function folded(text) {
  if (ASCII.test(text)) return { text: text.toLowerCase(), places: null };
  const places = [];
  let result = "", place = 0;
  for (const character of text) {
    for (const part of character.normalize("NFKD").toLowerCase()) {
      if (ACCENT.test(part)) continue;
      result += part === "ς" ? "σ" : part;
      for (let unit = 0; unit < part.length; unit += 1) places.push(place);
    }
    place += character.length;
  }
  places.push(place);
  return { text: result, places };
}

function escaped(text) { return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }

// One word as a regular expression; `*` stands for any letters, also for none.
function word(text, suffix) {
  const letters = text.split("*").map(escaped).join("[\\p{L}\\p{N}]*");
  if (TOGETHER.test(text)) return letters;
  if (AFFIXED.test(text)) return `${NOT_IN_WORD}\\p{L}{0,3}${letters}\\p{L}{0,4}${NO_WORD_AFTER}`;
  return `${NOT_IN_WORD}${letters}${suffix}${NO_WORD_AFTER}`;
}

function phrase(words) { return words.map((one) => word(one, "")).join("[^\\p{L}\\p{N}]+"); }

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
  const ofTopic = terms.map((term) => folded(term).text).filter(Boolean).map((term) => word(term, "\\p{L}{0,3}"));
  if (ofTopic.length) parts.push(ofTopic.join("|"));
  return parts.length ? new RegExp(parts.join("|"), "gu") : null;
}

// The marked places of a text, at most so many: [start, end, whether it is one of the assessor's own].
export function* marked(text, words, most) {
  if (!words || most <= 0) return;
  const { text: searched, places } = folded(text);
  let count = 0;
  for (const match of searched.matchAll(words)) {
    if (!match[0].length) continue;
    const start = match.index, end = start + match[0].length;
    yield [places ? places[start] : start, places ? places[end] : end, Boolean(match.groups?.own)];
    count += 1;
    if (count >= most) return;
  }
}
