// Drafts and preferences of the desk in localStorage. In a browser without storage they last as long as the page.
const pageOnly = new Map();

export function recall(key) {
  if (pageOnly.has(key)) return pageOnly.get(key);
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
    pageOnly.delete(key);
  } catch {
    pageOnly.set(key, value);
  }
}

export function forget(key) {
  pageOnly.delete(key);
  try {
    localStorage.removeItem(key);
  } catch { /* Nothing was kept. */ }
}
