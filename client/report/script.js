// SPDX-License-Identifier: GPL-2.0-or-later
// Makes tables sortable by a click on the title of a column, and opens on paper what is closed. Without it, the page is the same.
(function () {
  "use strict";
  const kPrefixes = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

  // "+1.2", "<0.0001", "1,050", "12.0k", "31 %", "79.6 Mbit/s", or the first end of an interval; null if it is no number.
  function number(text) {
    const found = /^[<]?([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s?([kMGT]?)/.exec(text);
    if (found === null) return null;
    return Number(found[1].replaceAll(",", "")) * (kPrefixes[found[2]] || 1);
  }

  // Numbers before words, and what is not known last, in either direction.
  function compare(a, b, direction) {
    if (a.text === "-" || b.text === "-") return (a.text === "-") - (b.text === "-");
    if (a.number !== null && b.number !== null) return direction * (a.number - b.number);
    if (a.number !== null || b.number !== null) return a.number !== null ? -1 : 1;
    return direction * a.text.localeCompare(b.text);
  }

  function sort(table, head) {
    const column = head.cellIndex;
    const ascending = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && !head.classList.contains("number"));
    const body = table.tBodies[0];
    body.querySelector(".parting")?.remove();  // rows in another order have no two groups
    const rows = Array.from(body.rows, function (row) {
      const text = row.cells[column].textContent;
      return { row: row, text: text, number: number(text) };
    });
    rows.sort((a, b) => compare(a, b, ascending ? 1 : -1));
    body.append(...rows.map((each) => each.row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const button of table.querySelectorAll("thead button")) {
      button.disabled = false;
      button.addEventListener("click", () => sort(table, button.parentElement));
    }
  }

  let opened = [];
  window.addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const each of opened) each.open = true;
  });
  window.addEventListener("afterprint", function () {
    for (const each of opened) each.open = false;
  });
})();
