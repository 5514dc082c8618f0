/* Marks two elements of each look that is not among the known ones, and gives the new looks.
   The contrast of a text depends on nothing else: its colour and font, and the colours behind it up to the root. */
(known) => {
  const PLAIN = "rgba(0, 0, 0, 0) none 1 none ";
  const marked = new Map(known.map((look) => [look, 2]));
  const backs = new Map([[null, ""]]);
  const behind = (one) => {
    if (!backs.has(one)) {
      const { backgroundColor, backgroundImage, opacity, filter, position } = getComputedStyle(one);
      const own = `${backgroundColor} ${backgroundImage} ${opacity} ${filter} ${/static|relative/.test(position) ? "" : position}`;
      backs.set(one, (own === PLAIN ? "" : own) + behind(one.parentElement));
    }
    return backs.get(one);
  };
  const text = (one) => [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("").trim()
    || one.value || one.placeholder || "";
  for (const one of document.querySelectorAll("body, body *")) {
    const length = String(text(one)).length;
    if (!length || !one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
    const state = one.closest(":disabled, [aria-disabled], label") ? "may be exempt" : "";
    const look = [one.localName, length > 1, state, color, fontSize, fontWeight, textShadow, behind(one)].join();
    const count = marked.get(look) ?? 0;
    if (count < 2) one.dataset.look = "new";
    marked.set(look, count + 1);
  }
  return [...marked.keys()].slice(known.length);
}
