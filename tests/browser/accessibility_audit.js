/* What a page owes its readers, as far as a script can tell: gives a list of sentences, empty for a good page.
   A new width or colour scheme takes effect within two frames. */
async (frames) => {
  const faults = [];
  for (let frame = 0; frame < frames; frame += 1) await new Promise(requestAnimationFrame);
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

  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.replace(/^[\s·]+/, "")) faults.push("no title");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) faults.push(`${document.querySelectorAll("h1").length} h1`);
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!seen(heading)) continue;
    const own = Number(heading.tagName[1]);
    if (own > level + 1) faults.push(`h${own} after h${level}: ${heading.textContent.trim()}`);
    if (!heading.textContent.trim()) faults.push(`empty heading: ${shown(heading)}`);
    level = own;
  }

  const text = (element) => [...element.childNodes].map((node) => node.nodeType === Node.TEXT_NODE ? node.data
    : node.nodeType !== Node.ELEMENT_NODE || node.ariaHidden === "true" ? "" : node.alt ?? node.ariaLabel ?? text(node)).join("").trim();
  const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "").split(/\s+/)
    .map((id) => id && document.getElementById(id)?.textContent.trim()).join("");
  const nameOf = (element) => element.ariaLabel || labelled(element)
    || [...(element.labels ?? [])].map((label) => label.textContent.trim()).join("") || text(element);
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, progress, meter, [role=img], [role=group], [role=region]";
  for (const element of document.querySelectorAll(controls))
    if (seen(element) && !nameOf(element)) faults.push(`no name: ${shown(element)}`);
  for (const element of document.querySelectorAll("img:not([alt])")) faults.push(`no alternative text: ${shown(element)}`);
  for (const cell of document.querySelectorAll("th:not([scope])")) faults.push(`a head of what: ${shown(cell)}`);
  for (const table of document.querySelectorAll("table")) {
    if (!table.closest(".prose") && !table.caption && !table.ariaLabel && !labelled(table)) faults.push(`no caption: ${shown(table)}`);
    if (!table.querySelector("th")) faults.push(`no heads: ${shown(table)}`);
  }
  for (const element of document.querySelectorAll("a a, button a, a button")) faults.push(`a control in a control: ${shown(element)}`);

  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const layer = (colour, alpha = 1) => {
    pixel.globalAlpha = alpha;
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const looked = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || looked.has(element) || !seen(element)) continue;
    looked.add(element);
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || element.closest(".visually-hidden, .skip, :disabled, script, style, option")) continue;
    const above = [];
    for (let parent = element; parent; parent = parent.parentElement) above.unshift(getComputedStyle(parent));
    if (above.some((style) => style.backgroundImage !== "none")) continue;
    let ground = layer(matchMedia("(prefers-color-scheme: dark)").matches ? "black" : "white");
    for (const style of above) ground = layer(style.backgroundColor);
    const own = above.at(-1);
    const ink = layer(element instanceof SVGElement ? own.fill : own.color, above.reduce((all, style) => all * Number(style.opacity), 1));
    const [dark, light] = [luminance(ground), luminance(ink)].sort((one, other) => one - other);
    const size = parseFloat(own.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(own.fontWeight) >= 700) ? 3 : 4.5;
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < needed - 0.05) faults.push(`contrast ${contrast.toFixed(2)}: "${element.textContent.trim().slice(0, 40)}" ${own.color}`);
  }
  return faults;
}
