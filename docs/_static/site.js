// What scrolls can be reached by keyboard, and what folds in the sidebar says what it is.
document.addEventListener("DOMContentLoaded", () => {
  for (const part of document.querySelectorAll(".pst-scrollable-table-container > table, .formula")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
  for (const fold of document.querySelectorAll(".bd-sidebar summary")) {
    const page = fold.closest("li").querySelector("a");
    fold.setAttribute("aria-label", `Pages of ${page.textContent.trim()}`);
  }
});
