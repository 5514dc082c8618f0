/* Scrolls each table that is higher than its frame: how many there are, and which heads or first columns do not stay. */
() => {
  const faults = [];
  let framed = 0;
  for (const wrap of document.querySelectorAll(".table-wrap")) {
    const head = wrap.querySelector("thead th");
    if (!head || !wrap.checkVisibility() || wrap.scrollHeight <= wrap.clientHeight + 100) continue;
    framed += 1;
    wrap.scrollTop = wrap.scrollHeight / 2;
    const top = head.getBoundingClientRect().top - wrap.getBoundingClientRect().top;
    if (Math.abs(top) > 3) faults.push(`a head scrolls away: ${head.textContent.trim().slice(0, 40)}: ${Math.round(top)}`);
    wrap.scrollTop = 0;
  }
  return { framed, faults };
}
