// Forms that scripts send, when the session has ended meanwhile: they stay as they are, and are sent again after the sign-in.

// Read at every sending: signing in again changes it, also in another tab.
export function csrfToken() {
  const cookie = document.cookie.split("; ").find((one) => one.startsWith("csrftoken="));
  return cookie?.slice("csrftoken=".length) ?? document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

// What to tell instead of the sign-in page that came as the answer; null where another page came.
export function toldOfSignIn(request, page) {
  if (!page.querySelector('input[name="login"]')) return null;
  const link = document.createElement("a");
  Object.assign(link, { href: request.responseURL, target: "_blank", rel: "noopener", textContent: "Sign in (opens a new tab)" });
  return ["You are signed out, perhaps since your session ended. Nothing was stored; files and entries are still here. ", link, ", then send them again."];
}
