/* What a page owes its readers that axe-core does not look at: gives a list of sentences, empty for a good page. */
() => {
  const faults = [];
  const seen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const shown = (element) => `<${element.tagName.toLowerCase()}> ${element.outerHTML.slice(0, 120).replace(/\s+/g, " ")}`;

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = [...document.querySelectorAll("body *")].filter((element) => seen(element)
      && element.getBoundingClientRect().right > width + 1 && !element.closest(".table-wrap"));
    faults.push(`wider than the window: ${document.documentElement.scrollWidth} of ${width}: ${wide.slice(0, 2).map(shown)}`);
  }

  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, place) => ids.indexOf(id) !== place))) faults.push(`id twice: ${id}`);
  for (const name of ["aria-describedby", "aria-labelledby", "aria-controls"])
    for (const element of document.querySelectorAll(`[${name}]`))
      for (const id of element.getAttribute(name).split(/\s+/))
        if (!document.getElementById(id)) faults.push(`${name} names what is not there: ${shown(element)}`);

  for (const table of document.querySelectorAll("table")) {
    const isNamed = table.caption || table.ariaLabel || table.getAttribute("aria-labelledby");
    if (!table.closest(".prose") && !isNamed) faults.push(`no caption: ${shown(table)}`);
    if (!table.querySelector("th")) faults.push(`no heads: ${shown(table)}`);
  }
  // A time's title says the same moment in UTC, which is no explanation.
  for (const head of document.querySelectorAll("th[title], th [title]:not(abbr, time)")) faults.push(`explained by its title alone: ${shown(head)}`);
  return faults;
}
