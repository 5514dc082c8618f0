// Pages ask htmx for fragments to read and for nothing else: what changes something is an ordinary form. A request of another
// kind could only come from an attribute that somebody got into a page, and it is not sent.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb !== "get") event.preventDefault();
});
