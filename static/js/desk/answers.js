// What the judging mode asks besides the grade: the controls in its fieldsets, whatever they are. Their values, by name,
// go with the act and come back with the document.
const TICKS = new Set(["checkbox", "radio"]);

export class Answers {
  constructor(form) {
    this.fieldsets = [...form.querySelectorAll("fieldset[data-answers]")];
    this.controls = this.fieldsets.flatMap((fieldset) => [...fieldset.querySelectorAll("input, select, textarea")]);
  }

  // By name a list of texts: the ticked boxes, the chosen option, the text that was typed.
  read() {
    const answers = {};
    for (const control of this.controls) {
      if (TICKS.has(control.type) && !control.checked) continue;
      (answers[control.name] ??= []).push(control.value);
    }
    return answers;
  }

  show(item) {
    for (const fieldset of this.fieldsets) fieldset.disabled = !item;
    for (const control of this.controls) {
      const values = item?.answers?.[control.name] ?? [];
      if (TICKS.has(control.type)) control.checked = values.includes(control.value);
      else control.value = values[0] ?? "";
    }
  }

  static isTick(element) { return TICKS.has(element.type) && element.closest("fieldset[data-answers]") !== null; }
}
