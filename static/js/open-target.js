function openAround(element) {
  let isChanged = false;
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    isChanged ||= !fold.open;
    fold.open = true;
  }
  return isChanged;
}

// The folds around what the address names are open: browsers leave them shut on reload, and where the same link is used again.
function opened(id) {
  const target = document.getElementById(id);
  return openAround(target) ? target : null;
}

export function showTarget() {
  opened(location.hash.slice(1))?.scrollIntoView();
}

document.addEventListener("click", ({ target }) => {
  const link = target.closest('a[href^="#"]');
  if (link) opened(link.hash.slice(1));
});
window.addEventListener("hashchange", showTarget);
// A fold holds an entry that the browser refuses: it is opened, or nobody would see why nothing happens.
document.addEventListener("invalid", ({ target }) => openAround(target), true);
showTarget();
