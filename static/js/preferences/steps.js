// The pairs as far as they are known ahead: the server sends the next one and, for each answer, those after it.
export class Steps {
  constructor({ ahead, last, done }) { this.follow({ ahead, last, done }); }

  // ahead: null when nothing is left to compare.
  follow({ ahead, last, done }) {
    this.node = ahead;
    this.done = done;
    this.trail = last ? [{ ...last, node: undefined }] : [];
  }

  get isUnknown() { return this.node === undefined; }
  get pair() { return this.node ?? null; }
  get last() { return this.trail.at(-1) ?? null; }

  // An act of this browser, which the server may not know yet.
  take({ uuid, left, right, answer, undoes }) {
    if (undoes) { this.undo(undoes); return; }
    const isShown = this.node && this.node.left === left && this.node.right === right;
    this.trail.push({ uuid, left, right, answer, node: isShown ? this.node : undefined });
    this.node = isShown ? this.node.after[answer] : undefined;
  }

  // The pair is shown again; what comes after it is known if it was answered here.
  undo(uuid) {
    const place = this.trail.findIndex((one) => one.uuid === uuid);
    if (place < 0) { this.node = undefined; return; }
    const [{ left, right, node }] = this.trail.splice(place);
    this.node = node ?? { left, right, about: "some", after: {} };
  }

  // Documents of the pairs that may come, the nearest first.
  coming() {
    const docnos = [];
    for (let level = [this.node]; level.some(Boolean); level = level.flatMap((node) => Object.values(node?.after ?? {}))) {
      docnos.push(...level.filter(Boolean).flatMap((node) => [node.left, node.right]));
    }
    return [...new Set(docnos)];
  }
}
