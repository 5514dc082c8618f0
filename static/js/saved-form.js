// The server says by the address of the form that it is saved: what form-draft.js has kept of it goes.
const [saved] = document.querySelectorAll("[data-saved-form]");
if (saved) {
  try {
    const keys = Object.keys(sessionStorage).filter((key) => key.startsWith("draft ") && key.endsWith(` ${saved.dataset.savedForm}`));
    for (const key of keys) sessionStorage.removeItem(key);
  } catch {
    // Without a storage nothing was kept.
  }
}
