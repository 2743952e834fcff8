// Tables that scroll can be reached by keyboard.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".pst-scrollable-table-container > table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  }
});
