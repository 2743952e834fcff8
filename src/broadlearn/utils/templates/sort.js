"use strict";
{
// Sorts a table by the column whose heading is pressed; words in a column of numbers stay last.
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function keyOf(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value;
  if (value !== undefined && value !== "") return Number(value);
  const number = cell.classList.contains("number") ? parseFloat(cell.textContent.replaceAll(",", "")) : NaN;
  return Number.isNaN(number) ? cell.textContent : number;
}

function compare(a, b, sign) {
  const numbers = [a, b].filter((key) => typeof key === "number").length;
  if (numbers === 1) return typeof a === "number" ? -1 : 1;
  return sign * (numbers === 2 ? a - b : collator.compare(a, b));
}

for (const heading of document.querySelectorAll("table.plain thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
}

for (const button of document.querySelectorAll("thead th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const headings = Array.from(heading.parentElement.cells);
    const column = headings.indexOf(heading);
    const before = heading.getAttribute("aria-sort");
    const first = heading.classList.contains("number") ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = before === first ? other : first;
    for (const each of headings) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const body = heading.closest("table").tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
    const sign = order === "ascending" ? 1 : -1;
    rows.sort((a, b) => compare(a.key, b.key, sign));
    body.append(...rows.map(({ row }) => row));
  });
}
document.documentElement.classList.add("sortable");
}
