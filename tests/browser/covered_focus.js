/* What lies over the middle of the visible part of what has the focus; "" where nothing does. */
() => {
  const one = document.activeElement, box = one.getBoundingClientRect();
  const middle = (from, to, most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
  const over = document.elementFromPoint(middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
  if (one.contains(over) || over?.contains(one) || over?.closest("label")?.contains(one)) return "";
  return `${one.textContent.trim().slice(0, 40) || one.name}: ${over?.textContent.trim().slice(0, 40)}`;
}
