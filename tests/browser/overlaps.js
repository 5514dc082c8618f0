/* Texts that lie over one another: gives a list of sentences, empty for a good page. What its frame cuts off is not looked at. */
() => {
  const apart = (element) => ["sticky", "fixed", "absolute"].includes(getComputedStyle(element).position);
  const frames = new Map();
  const frame = (element) => {
    if (!element || element === document.body) return { top: 0, left: 0, right: Infinity, bottom: Infinity, apart: false };
    if (!frames.has(element)) {
      const outer = frame(element.parentElement), style = getComputedStyle(element);
      const own = { ...outer, apart: outer.apart || apart(element) };
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const box = element.getBoundingClientRect();
        own.top = Math.max(own.top, box.top + scrollY);
        own.bottom = Math.min(own.bottom, box.bottom + scrollY);
        own.left = Math.max(own.left, box.left);
        own.right = Math.min(own.right, box.right);
      }
      frames.set(element, own);
    }
    return frames.get(element);
  };

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, svg, option, .visually-hidden")) continue;
    const within = frame(element);
    if (within.apart || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const seen = {
        top: Math.max(box.top + scrollY, within.top), bottom: Math.min(box.bottom + scrollY, within.bottom),
        left: Math.max(box.left, within.left), right: Math.min(box.right, within.right), node, text: node.data.trim(),
      };
      if (seen.bottom - seen.top > 4 && seen.right - seen.left > 4) texts.push(seen);
    }
  }

  texts.sort((one, other) => one.top - other.top);
  const faults = new Set();
  // The boxes of two lines may touch: glyphs do not fill them.
  const most = 0.3;
  texts.forEach((one, place) => {
    for (let next = place + 1; next < texts.length && texts[next].top < one.bottom; next++) {
      const other = texts[next], height = Math.min(one.bottom - one.top, other.bottom - other.top);
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - other.top;
      if (one.node === other.node && one.top === other.top) continue;  // what an ellipsis cuts has a box of its own
      if (across > 2 && down > most * height)
        faults.add(`texts overlap: “${one.text.slice(0, 40)}” and “${other.text.slice(0, 40)}”`);
    }
  });
  return [...faults].slice(0, 5);
}
