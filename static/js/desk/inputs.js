// Keys, presses and form events of the desk, and what each of them starts.
import { Answers } from "./answers.js";

const TYPING = "textarea, select, input:not([type=checkbox], [type=radio])";

export function listen({ view, walk, acts, commands, outbox, inTurn }) {
  let wasKey = false;
  addEventListener("keydown", () => { wasKey = true; }, { capture: true });
  addEventListener("pointerdown", () => { wasKey = false; }, { capture: true });

  view.form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.submitter;
    // With the keyboard alone and single keys switched off, the focus stays on the scale.
    const stays = document.activeElement === button && button.matches(":focus-visible");
    const how = wasKey ? "key" : "pointer";
    await inTurn(() => { acts.inputMethod = how; return commands.handle(button); });
    if (!stays) view.focus();
  });

  // Ticks are kept as they are made, like notes.
  view.form.addEventListener("change", () => inTurn(walk.keep));

  document.addEventListener("click", (event) => {
    const mover = event.target.closest("[data-move]"), link = event.target.closest("#desk-history a");
    if (event.target.closest("#desk-extent")) { walk.changeExtent(); view.focus(); }
    if (mover) inTurn(() => walk.move(mover.dataset.move));
    if (link && !event.ctrlKey && !event.metaKey) { event.preventDefault(); inTurn(() => walk.show(link.dataset.docno)); }
    if (mover || link || (Answers.isTick(event.target) && event.detail > 0)) view.focus();
  });

  addEventListener("keydown", (event) => {
    if (event.key !== "End" || event.target.matches(TYPING) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    view.toEnd();
  });

  // A key that is held down judges once.
  addEventListener("keydown", (event) => {
    if (!event.repeat || event.target.matches(TYPING)) return;
    const isPress = event.target.matches("button, input") && (event.key === "Enter" || event.key === " ");
    const isShortcut = view.form.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key.toLowerCase())}"]`);
    if (isPress || isShortcut) event.preventDefault();
  }, { capture: true });

  // What waits stays in this browser, but only this browser can send it.
  addEventListener("beforeunload", (event) => { if (outbox.waiting.length) event.preventDefault(); });
  addEventListener("pagehide", () => { inTurn(walk.keep); });
}
