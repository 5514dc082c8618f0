// Small things that the desk remembers for comfort. In a browser that keeps nothing they last as long as the page.
const unkept = new Map();

export function recall(key) {
  if (unkept.has(key)) return unkept.get(key);
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
    unkept.delete(key);
  } catch {
    unkept.set(key, value);
  }
}

export function forget(key) {
  unkept.delete(key);
  try {
    localStorage.removeItem(key);
  } catch { /* Nothing was kept. */ }
}
