// The marks that a picture holds: where they are in units of its SVG document, and what they say (campaign/charts.py).
const START = "<metadata>";
const END = "</metadata>";
const SAME = 1; // units of the document: dots so near lie on each other
const MOST_NAMED = 5;
const kept = new Map();

// Read once for each address; none where the picture cannot be had, or says nothing.
export function marksOf(source) {
  if (!kept.has(source)) kept.set(source, read(source).catch(() => { kept.delete(source); return []; }));
  return kept.get(source);
}

async function read(source) {
  const response = await fetch(source);
  if (!response.ok) throw new Error(`${response.status}`);
  const text = await response.text();
  const start = text.indexOf(START);
  if (start < 0) return [];
  return JSON.parse(text.slice(start + START.length, text.indexOf(END, start))).filter((group) => count(group) > 0);
}

export function count(group) {
  return group.kind === "cells" ? group.x.length * group.y.length : Math.max(group.x.length, group.y.length);
}

// The mark at a point: the nearest dot within the radius, or the column, row or cell that holds it.
export function markAt(groups, x, y, radius) {
  let nearest = null;
  for (const group of groups) {
    const found = group.kind === "dots" ? nearestDot(group, x, y, radius) : holding(group, x, y);
    if (found && (!nearest || found.away < nearest.away)) nearest = found;
  }
  return nearest && { group: nearest.group, place: nearest.place };
}

function nearestDot(group, x, y, radius) {
  let best = radius * radius;
  let place = -1;
  for (let dot = 0; dot < group.x.length; dot += 1) {
    const away = (group.x[dot] - x) ** 2 + (group.y[dot] - y) ** 2;
    if (away < best || (away === best && place < 0)) { best = away; place = dot; }
  }
  return place < 0 ? null : { group, place, away: best };
}

function holding(group, x, y) {
  const [left, top, right, bottom] = group.box;
  if (x < left || x > right || y < top || y > bottom) return null;
  const column = group.x.length ? step(group.x, x) : 0;
  const row = group.y.length ? step(group.y, y) : 0;
  return column < 0 || row < 0 ? null : { group, place: row * Math.max(group.x.length, 1) + column, away: 0 };
}

// Places lie at equal distances, so the nearest is found by arithmetic.
function step(places, at) {
  if (places.length === 1) return 0;
  const place = Math.round((at - places[0]) / width(places));
  return place >= 0 && place < places.length ? place : -1;
}

function width(places) {
  return (places.at(-1) - places[0]) / (places.length - 1);
}

// Left, top, right, bottom of the frame around a mark.
export function frameOf({ group, place }, around) {
  const [left, top, right, bottom] = group.box;
  if (group.kind === "dots") {
    const [x, y] = [group.x[place], group.y[place]];
    return [x - around, y - around, x + around, y + around];
  }
  const columns = Math.max(group.x.length, 1);
  const across = group.x.length ? span(group.x, place % columns, left, right) : [left, right];
  const down = group.y.length ? span(group.y, Math.floor(place / columns), top, bottom) : [top, bottom];
  return [across[0], down[0], across[1], down[1]];
}

function span(places, place, start, end) {
  if (places.length === 1) return [start, end];
  const half = width(places) / 2;
  return [Math.max(start, places[place] - half), Math.min(end, places[place] + half)];
}

// Pairs of a name and its values.
export function termsOf(groups, mark) {
  const here = mark.group.kind === "dots" ? names(groups, mark) : [];
  const terms = ownTerms(mark).map(([name, value]) => [name, [value]]);
  if (!here.length) return terms;
  const rest = here.length > MOST_NAMED ? [`and ${here.length - MOST_NAMED} more`] : [];
  return [...terms, ["Also here", [...here.slice(0, MOST_NAMED), ...rest]]];
}

// What the other dots at the place of a dot are called: their first value that is not the same.
function names(groups, mark) {
  const own = ownTerms(mark).map(([, value]) => value);
  const found = new Set();
  for (const group of groups.filter(({ kind }) => kind === "dots")) {
    for (let place = 0; place < group.x.length; place += 1) {
      if (!isBeside(group, place, mark)) continue;
      const other = ownTerms({ group, place }).find(([, value], term) => value !== own[term]);
      if (other) found.add(other[1]);
    }
  }
  return [...found];
}

function isBeside(group, place, mark) {
  return Math.abs(group.x[place] - mark.group.x[mark.place]) < SAME && Math.abs(group.y[place] - mark.group.y[mark.place]) < SAME;
}

function ownTerms({ group, place }) {
  const columns = Math.max(group.x.length, 1);
  if (group.kind !== "cells") return group.terms.map(([name, texts]) => [name, texts[place]]);
  const [row, column] = [Math.floor(place / columns), place % columns];
  return [
    ...group.row_terms.map(([name, texts]) => [name, texts[row]]),
    ...group.terms.map(([name, texts]) => [name, texts[column]]),
    ...group.cell_terms.map(([name, texts]) => [name, texts[row][column]]),
  ];
}

// The address of the page about a mark, or null.
export function linkOf({ group, place }, source) {
  const link = group.links[group.kind === "cells" ? place % group.x.length : place];
  if (!link) return null;
  const address = new URL(link, source);
  return address.origin === location.origin ? address.href : null;
}

const STEPS = {
  ArrowRight: () => 1,
  ArrowLeft: () => -1,
  ArrowDown: (group, place) => group.line || alongColumn(group, place, 1),
  ArrowUp: (group, place) => -group.line || alongColumn(group, place, -1),
  Home: () => -Infinity,
  End: () => Infinity,
};

// The mark that a key leads to; undefined for other keys. Without a mark, the first or the last one.
export function markByKey(groups, mark, key) {
  if (!Object.hasOwn(STEPS, key)) return undefined;
  const by = mark ? STEPS[key](mark.group, mark.place) : STEPS[key](groups[0], 0);
  const total = groups.reduce((sum, group) => sum + count(group), 0);
  const wanted = mark ? before(groups, mark.group) + mark.place + by : by;
  const moved = !mark && Number.isFinite(by) ? (by > 0 ? 0 : total - 1) : wanted;
  return markNumber(groups, Math.min(Math.max(moved, 0), total - 1));
}

// Lines of unequal length: the same place of the next line is the next dot above or below.
function alongColumn(group, place, by) {
  for (let next = place + by; next >= 0 && next < group.x.length; next += by) {
    if (group.x[next] === group.x[place]) return next - place;
  }
  return 0;
}

function before(groups, group) {
  return groups.slice(0, groups.indexOf(group)).reduce((sum, earlier) => sum + count(earlier), 0);
}

function markNumber(groups, number) {
  let place = number;
  for (const group of groups) {
    if (place < count(group)) return { group, place };
    place -= count(group);
  }
  return null;
}
