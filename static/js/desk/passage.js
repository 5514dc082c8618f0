// The part of a long document that holds most words of the topic: most different ones first, then most of them.
import { folded } from "./words.js";

const LENGTH = 2_000;
export const LONG_FOR_A_PASSAGE = 3 * LENGTH;

function lastBefore(text, place) {
  const end = text.lastIndexOf("\n", place);
  return end < 0 || place - end > LENGTH / 2 ? place : end + 1;
}

// Different words among the hits of a window count before their number.
function worth(counts, number) { return counts.size * 1_000_000 + number; }

function leave(counts, word) {
  if (counts.get(word) === 1) counts.delete(word);
  else counts.set(word, counts.get(word) - 1);
}

// The place of the first hit of the best window of LENGTH characters; 0 where there is no hit.
function bestStart(hits) {
  const counts = new Map();
  let best = 0, place = 0, first = 0;
  hits.forEach(([at, word], last) => {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    for (; hits[first][0] < at - LENGTH; first += 1) leave(counts, hits[first][1]);
    const value = worth(counts, last - first + 1);
    if (value > best) [best, place] = [value, hits[first][0]];
  });
  return place;
}

// `words`: what `pattern` of words.js makes, or null.
export function bestPassage(text, words) {
  if (!words) return text.slice(0, LENGTH);
  const { text: searched, places } = folded(text);
  const hits = [...searched.matchAll(words)].filter(([word]) => word).map((hit) => [places ? places[hit.index] : hit.index, hit[0]]);
  const start = lastBefore(text, Math.max(0, bestStart(hits) - LENGTH / 4));
  const end = text.indexOf("\n", start + 1.5 * LENGTH);
  return text.slice(start, end < 0 || end - start > 2 * LENGTH ? start + 1.5 * LENGTH : end).trim();
}
