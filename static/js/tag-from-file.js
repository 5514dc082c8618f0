// Suggests the run tag from the chosen file's name: input[data-tag-target="id of the tag field"]. What was typed stays.
function tagOf(name) {
  return name.replace(/\.gz$/i, "").replace(/\.(txt|run)$/i, "");
}

document.addEventListener("change", (event) => {
  const input = event.target;
  if (!(input instanceof HTMLInputElement) || !input.dataset.tagTarget || !input.files?.length) return;
  const tag = document.getElementById(input.dataset.tagTarget);
  if (!tag || (tag.value !== "" && tag.value !== tag.dataset.suggested)) return;
  tag.value = tagOf(input.files[0].name);
  tag.dataset.suggested = tag.value;
});
