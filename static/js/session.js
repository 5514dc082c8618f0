// Forms that scripts send, when the session has ended meanwhile: they stay as they are, and are sent again after the sign-in.
// A new token would take them in the name of whoever signed in since: the site refuses them, as it is told for whom the page was.

// Read at every sending: signing in again changes it, also in another tab.
export function csrfToken() {
  const cookie = document.cookie.split("; ").find((one) => one.startsWith("csrftoken="));
  return cookie?.slice("csrftoken=".length) ?? document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

// To be called after open().
export function nameUser(request) {
  const { user } = document.body.dataset;
  if (user) request.setRequestHeader("X-Page-Of-User", user);
}

function linkTo(href, words) {
  return Object.assign(document.createElement("a"), { href, target: "_blank", rel: "noopener", textContent: `${words} (opens a new tab)` });
}

// What to tell where nobody is signed in, or somebody else than when the page came; null at other answers.
export function toldOfSignIn(request, page, kept = "Nothing was stored; files and entries are still here.") {
  const other = page.querySelector("[data-signed-in-as]");
  if (other) {
    return [`This page was opened by another account than ${other.dataset.signedInAs}, who is signed in now. ${kept} `,
      linkTo(other.href, "Sign out"), ", sign in as before, then send them again."];
  }
  if (!page.querySelector('input[name="login"]')) return null;
  return [`Your session has ended, or you signed out. ${kept} `, linkTo(request.responseURL, "Sign in"), ", then send them again."];
}
