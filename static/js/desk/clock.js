// Times of a judgment: the server's time, always increasing, and the active time on a document, without hidden tabs and
// with at most one minute of each idle period.
import { recall, remember } from "./memory.js";

const IDLE = 60_000, BACKWARDS = 1_000, LATEST = "runpool-latest-act";
const ACTIVITY = ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove"];

export class Clock {
  constructor(serverTime) {
    this.date = Date.now();
    this.ticks = performance.now();
    this.offset = Date.parse(serverTime) - this.date;
    this.active = 0;
    this.began = this.seen = performance.now();
    this.shownAt = this.now();
    const settle = () => { if (!document.hidden) this.settle(); };
    for (const type of ACTIVITY) document.addEventListener(type, settle, { passive: true, capture: true });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.settle();
      else this.seen = performance.now();
    });
  }

  // A clock that is set back while the desk is open must not make acts older than they are. (One that goes ahead may
  // be a computer that has slept; the server takes no time later than its own.)
  now() {
    const date = Date.now(), ticks = performance.now();
    const lost = (ticks - this.ticks) - (date - this.date);
    if (lost > BACKWARDS) this.offset += lost;
    this.date = date;
    this.ticks = ticks;
    return new Date(date + this.offset);
  }

  // Later than any act before it in this browser, so that acts keep their order whatever its clock does.
  nextAct() {
    const time = Math.max(this.now().getTime(), Number(recall(LATEST) ?? 0) + 1);
    remember(LATEST, String(time));
    return new Date(time);
  }

  settle() {
    const now = performance.now();
    this.active += Math.min(now - this.seen, IDLE);
    this.seen = now;
  }

  // The time since the document came in which nobody read it.
  get away() { return Math.max(0, Math.round(performance.now() - this.began - this.active)); }

  start() {
    this.active = 0;
    this.began = this.seen = performance.now();
    this.shownAt = this.now();
  }

  stop() {
    if (!document.hidden) this.settle();
    return Math.round(this.active);
  }
}
