// Suggests an address from the title: input[data-slug-source="id of the address field"]. Stops once the address was typed in.
function slugOf(title) {
  return title.replace(/ß/g, "ss").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 50);
}

document.querySelectorAll("[data-slug-source]").forEach((title) => {
  const slug = document.getElementById(title.dataset.slugSource);
  if (!slug) return;
  let own = slug.value !== "" && slug.value !== slugOf(title.value);
  slug.addEventListener("input", () => { own = slug.value !== ""; });
  title.addEventListener("input", () => { if (!own) slug.value = slugOf(title.value); });
});
