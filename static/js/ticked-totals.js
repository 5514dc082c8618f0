// Totals of what is ticked: form[data-ticked-totals]. Without JavaScript a button of the form shows them.
function workTime(hours) {
  const minutes = Math.max(1, Math.round(hours * 60));
  return minutes < 60 ? `${minutes} min` : `${hours.toFixed(1)} h`;
}

function counted(count, noun) {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

for (const form of document.querySelectorAll("form[data-ticked-totals]")) {
  const status = form.querySelector("[data-ticked]");
  form.querySelectorAll("[data-without-script]").forEach((button) => { button.hidden = true; });

  const show = () => {
    const ticked = [...form.querySelectorAll("input[data-column]:checked")];
    for (const cell of form.querySelectorAll("[data-total]")) {
      const own = ticked.filter((box) => box.dataset.column === cell.dataset.total);
      const documents = own.reduce((sum, box) => sum + Number(box.dataset.documents), Number(cell.dataset.now));
      const time = documents ? workTime((documents * Number(cell.dataset.seconds)) / 3600) : "no time";
      cell.textContent = `${counted(documents, "document")}, ${time}`;
    }
    return ticked.length;
  };
  form.addEventListener("change", () => { status.textContent = `${counted(show(), "topic")} ticked`; });
  window.addEventListener("pageshow", show);
  show();
}
