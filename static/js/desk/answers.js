// What the judging mode asks besides the grade: all controls in fieldset[data-answers]. Their values, by control name, are
// sent with the judgment and shown again with the document.
const TICKS = new Set(["checkbox", "radio"]);

export class Answers {
  constructor(form) {
    this.fieldsets = [...form.querySelectorAll("fieldset[data-answers]")];
    this.controls = this.fieldsets.flatMap((fieldset) => [...fieldset.querySelectorAll("input, select, textarea")]);
    for (const button of form.querySelectorAll("[data-answers-none]")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        for (const control of this.controls) if (TICKS.has(control.type)) control.checked = false;
        form.dispatchEvent(new Event("change", { bubbles: true }));
      });
    }
  }

  // Maps each control name to a list of strings: ticked boxes, the chosen option, typed text.
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
