// What the buttons of the desk do, and so the keys that press them.
const BOUNCE = 80;  // ms; a press so soon after a document has come was meant for the one before

export class Commands {
  constructor({ data, list, view, walk, acts, contradictions, inTurn }) {
    Object.assign(this, { data, list, view, walk, acts, contradictions, inTurn });
    this.reasons = document.getElementById("cannot-judge-reasons");
    this.reasons?.addEventListener("click", (event) => {
      const chosen = event.target.closest("[data-reason]");
      if (!chosen) return;
      this.reasons.close();
      inTurn(() => this.cannotJudge(chosen.dataset.reason)).then(() => view.focus());
    });
  }

  async handle(button) {
    if (button.name === "grade") await this.grade(Number(button.value));
    else if (button.value === "cannot_judge" && this.reasons && this.walk.current) this.reasons.showModal();
    else if (button.value === "cannot_judge") await this.cannotJudge("");
    else if (button.value === "flag") await this.flag();
    else if (button.value === "undo") await this.undo();
    else this.walk.skip();
  }

  isTooSoon(docno) {
    const isBounce = performance.now() - this.walk.since < BOUNCE;
    if (isBounce) this.walk.tell(`That was too quick: no grade was stored for ${docno}, which had just appeared. Press again.`);
    return isBounce;
  }

  async grade(grade) {
    const { walk, acts, list } = this, docno = walk.current;
    if (!docno || this.isTooSoon(docno)) return;
    const item = list.item(docno), isGiven = item.verdict === "graded" && item.grade === grade;
    if (this.data.gradeFirst && !isGiven) { await this.gradeFirst(docno, grade); return; }
    const question = this.contradictions.question(docno, grade, acts.written.answers);
    if (question) { walk.tell(question); return; }
    const isKept = this.data.gradeFirst ? await acts.keep(docno) : await acts.judge(docno, { verdict: "graded", grade, reason: "" });
    if (isKept) await this.goOn(docno, this.data.labels[grade]);
  }

  // Where subtopics come after the grade, it is saved and the document stays; the same grade again goes on.
  async gradeFirst(docno, grade) {
    const { walk, acts, view, contradictions } = this;
    const refusal = contradictions.refusal(grade, acts.written.answers);
    if (refusal) { walk.tell(refusal); return; }
    if (!await acts.judge(docno, { verdict: "graded", grade, reason: "" })) return;
    view.scale(this.list.item(docno));
    view.announce(`${this.data.labels[grade]} is saved. Mark the subtopics, then give the grade again to go on.`);
  }

  async cannotJudge(reason) {
    const { walk, acts } = this, docno = walk.current;
    if (!docno || this.isTooSoon(docno)) return;
    if (await acts.judge(docno, { verdict: "cannot_judge", grade: null, reason })) await this.goOn(docno, "cannot judge");
  }

  async goOn(docno, given) {
    const next = this.list.coming(docno)[0];
    await this.walk.show(next);
    if (next) this.walk.announce(next, `${given}. Next: `);
  }

  async undo() {
    if (!await this.walk.keep()) return;
    const docno = await this.acts.undo();
    if (!docno) return;
    await this.walk.show(docno, { isKept: true });
    this.walk.announce(docno, "Taken back. Again: ");
  }

  async flag() {
    const { view, walk } = this;
    if (!walk.current) return;
    view.flag(!view.flagged);
    if (await walk.keep()) view.announce(view.flagged ? "Flagged" : "Not flagged any more");
  }
}
