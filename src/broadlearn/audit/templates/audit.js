"use strict";
// Sorts the table by the column whose heading is pressed and hides rows that are not asked for.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const table = document.getElementById("table");
const verdict = document.getElementById("verdict");
const words = document.getElementById("words");
const body = table.tBodies[0];
const rows = Array.from(body.rows, (row) => ({ row, text: row.textContent.toLowerCase() }));

function keyOf(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value;
  if (value === undefined) return cell.textContent;
  return value === "" ? null : Number(value);
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? a - b : collator.compare(a, b));
}

for (const button of table.querySelectorAll("thead button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const headings = Array.from(heading.parentElement.cells);
    const column = headings.indexOf(heading);
    const first = heading.classList.contains("number") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    for (const each of headings) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const keyed = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
    keyed.sort((a, b) => compare(a.key, b.key, sign));
    body.append(...keyed.map(({ row }) => row));
  });
}

function filter() {
  const wanted = words.value.toLowerCase();
  let found = 0;
  for (const { row, text } of rows) {
    const kept = (!verdict.value || row.dataset.verdict === verdict.value) && text.includes(wanted);
    row.hidden = !kept;
    found += kept;
  }
  document.getElementById("found").textContent = `${found} of ${rows.length} listed rows`;
}

verdict.addEventListener("change", filter);
words.addEventListener("input", filter);
document.querySelector(".controls").hidden = false;
filter();
