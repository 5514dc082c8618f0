// Switches between the light and the dark theme and remembers the choice in a cookie, so that the server renders it at once.
const root = document.documentElement;
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function currentTheme() {
  return root.dataset.theme || (systemDark.matches ? "dark" : "light");
}

function label(button) {
  button.textContent = currentTheme() === "dark" ? "Light theme" : "Dark theme";
}

function labelAll(scope) {
  for (const button of scope.querySelectorAll("[data-theme-toggle]")) {
    button.hidden = false;
    label(button);
  }
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-toggle]")) return;
  const chosen = currentTheme() === "dark" ? "light" : "dark";
  root.dataset.theme = chosen;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `theme=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  labelAll(document);
});

systemDark.addEventListener("change", () => labelAll(document));
document.addEventListener("htmx:load", (event) => labelAll(event.target));
labelAll(document);
