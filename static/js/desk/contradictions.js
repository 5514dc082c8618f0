// Answers that do not go with a grade, by the rules of the judging mode, as its Python module declares them. They are asked
// about once where the organisers allow them (`stop` is false), else until they go together.
export class Contradictions {
  constructor({ rules, stop }) {
    this.rules = rules;
    this.stop = stop;
    this.asked = "";
  }

  broken(grade, answers) {
    return this.rules.find((rule) => rule.grade === grade && rule.given === Boolean(answers[rule.answer]?.length));
  }

  // Why the server would not take the judgment; "" where it would.
  refusal(grade, answers) {
    const broken = this.stop && this.broken(grade, answers);
    return broken ? `${broken.text} Correct one of the two.` : "";
  }

  // What the assessor is asked; "" where the judgment is consistent, or is given a second time.
  question(docno, grade, answers) {
    const broken = this.broken(grade, answers);
    const judgment = broken ? JSON.stringify([docno, grade, answers]) : "";
    const isConfirmed = judgment === this.asked && !this.stop;
    this.asked = isConfirmed ? "" : judgment;
    if (!broken || isConfirmed) return "";
    return this.refusal(grade, answers) || `${broken.text} Correct one of the two, or give the same grade again to save it so.`;
  }
}
