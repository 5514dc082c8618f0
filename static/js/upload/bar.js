// The progress of an upload: a bar, bytes sent and in total, the time that remains, and a button that cancels it.
const SMOOTHING_SECONDS = 4;

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB"];
  let value = bytes / 1000, unit = 0;
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// Bytes per second, later ones weighing more, so that the time that remains follows a connection that slows down.
class Speed {
  constructor() {
    this.at = performance.now();
    this.loaded = 0;
    this.value = 0;
  }

  see(loaded) {
    const now = performance.now(), seconds = (now - this.at) / 1000;
    if (seconds < 0.2) return;
    const current = (loaded - this.loaded) / seconds;
    const weight = this.value ? 1 - Math.exp(-seconds / SMOOTHING_SECONDS) : 1;
    this.value += weight * (current - this.value);
    this.at = now;
    this.loaded = loaded;
  }
}

export class UploadBar {
  constructor(form, stop) {
    this.place = form.querySelector("[data-upload-status]") ?? form.appendChild(document.createElement("div"));
    this.place.dataset.uploadStatus = "";
    this.stop = stop;
    this.guard = (event) => event.preventDefault(); // the browser asks before the page is left
  }

  start() {
    this.speed = new Speed();
    this.bar = document.createElement("progress");
    this.bar.max = 1;
    this.bar.setAttribute("aria-label", "Upload");
    this.text = document.createElement("span");
    this.text.setAttribute("role", "status");
    this.text.className = "upload-count";
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "button button-small";
    this.button.textContent = "Cancel the upload";
    this.button.addEventListener("click", () => this.stop());
    const line = document.createElement("p");
    line.className = "progress-head";
    line.append(this.text, this.button);
    this.place.className = "progress";
    this.place.removeAttribute("role");
    this.place.replaceChildren(this.bar, line);
    window.addEventListener("beforeunload", this.guard);
  }

  show(loaded, total) {
    this.speed.see(loaded);
    this.bar.value = total ? loaded / total : 1;
    if (loaded >= total) {
      this.text.textContent = `All ${size(total)} sent. Waiting for the server.`;
      return;
    }
    const left = this.speed.value > 0 ? `, about ${duration((total - loaded) / this.speed.value)} left` : "";
    this.text.textContent = `${size(loaded)} of ${size(total)} sent${left}`;
  }

  end() {
    window.removeEventListener("beforeunload", this.guard);
  }

  report(text, tone, ...more) {
    this.end();
    this.place.className = `notice tone-${tone}`;
    this.place.setAttribute("role", tone === "bad" ? "alert" : "status");
    const words = document.createElement("div");
    words.append(text, ...more);
    this.place.replaceChildren(words);
    words.querySelector("a")?.focus();
  }
}
