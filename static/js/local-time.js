// Times in the reader's zone, deadlines in their own zone with the reader's beside it, and countdowns.
const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const CLOCK = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
const timeZone = document.body.dataset.timeZone || undefined; // chosen in the account's settings; else the browser's
const clock = clockOf(CLOCK), exactClock = clockOf({ ...CLOCK, second: "2-digit" });

function clockOf(parts) {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, ...parts });
  } catch { // a zone that is younger than the browser
    return new Intl.DateTimeFormat("en-GB", parts);
  }
}

function instant(element) {
  const date = new Date(element.dateTime);
  return Number.isNaN(date.getTime()) ? null : date;
}

export function distance(milliseconds) {
  const left = Math.abs(milliseconds);
  const days = Math.floor(left / DAY), hours = Math.floor((left % DAY) / HOUR), minutes = Math.floor((left % HOUR) / MINUTE);
  if (days >= 14) return `${days} d`;
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  if (minutes > 0) return `${minutes} min`;
  return "under 1 min";
}

function showLocal(element) {
  const date = instant(element);
  if (!date) return;
  if (!element.title) element.title = element.textContent.trim();
  element.textContent = (element.dataset.local === "seconds" ? exactClock : clock).format(date);
}

function showDeadline(element) {
  const date = instant(element);
  if (!date || element.nextElementSibling?.matches(".time-local")) return;
  const local = document.createElement("span");
  local.className = "time-local";
  local.textContent = ` (yours: ${clock.format(date)})`;
  element.after(local);
}

function showCountdown(element) {
  const date = instant(element);
  if (!date) return;
  const left = date - Date.now();
  element.textContent = left >= 0 ? `in ${distance(left)}` : `${distance(left)} ago`;
}

function show(scope) {
  const find = (name) => scope.querySelectorAll?.(`time[${name}]`) ?? [];
  find("data-local").forEach(showLocal);
  find("data-deadline").forEach(showDeadline);
  find("data-countdown").forEach(showCountdown);
}

document.addEventListener("htmx:load", (event) => show(event.target));
setInterval(() => document.querySelectorAll("time[data-countdown]").forEach(showCountdown), 30 * SECOND);
show(document);
