// On pages around the desk: sends what still waits in this browser, and shows how many there are.
import { openOutbox } from "./outbox.js";

const line = document.getElementById("desk-pending");
const outbox = await openOutbox(Number(line.dataset.assessor));

function judgments(count) {
  return `${count} judgment${count === 1 ? "" : "s"}`;
}

function show() {
  const waiting = outbox.waiting.length, refused = outbox.refused.length;
  line.hidden = !waiting && !refused;
  line.textContent = [
    waiting && `${judgments(waiting)} of yours ${waiting === 1 ? "waits" : "wait"} in this browser and will be sent as soon as the server can be reached.`,
    refused && `${judgments(refused)} ${refused === 1 ? "was" : "were"} not accepted: open the topic to see why.`,
  ].filter(Boolean).join(" ");
}

outbox.addEventListener("change", show);
show();
