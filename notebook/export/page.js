"use strict";
// Tables sort by a click, or a key, on the head of a column. Nothing else needs this script.
(function () {
  const number = /^[^\w\u2212.-]{0,3}([-\u2212]?(?:\d[\d,\u00a0\u202f]*\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i;
  // The value that a cell sorts by: the estimate of "12.3 [11.9, 12.7]" or "0.5 ± 0.1"; null for what is absent.
  function value(text) {
    if (/^(\u2014|-|\u2013|nan|n\/a|)$/i.test(text)) return null;
    if (/^[-\u2212]?inf(inite|inity)?$/i.test(text)) return /^[-\u2212]/.test(text) ? -Infinity : Infinity;
    const m = number.exec(text);
    return m ? Number(m[1].replace(/[,\u00a0\u202f]/g, "").replace("\u2212", "-")) : NaN;
  }
  function sort(body, column, sign) {
    const rows = Array.from(body.rows, function (row) { return { row: row, text: row.cells[column].textContent.trim() }; });
    rows.forEach(function (r) { r.value = value(r.text); });
    const words = rows.some(function (r) { return Number.isNaN(r.value); });
    const absent = function (r) { return r.value === null; };
    const compare = function (a, b) {
      if (absent(a) || absent(b)) return Number(absent(a)) - Number(absent(b));
      if (words) return sign * a.text.localeCompare(b.text, "en", { numeric: true });
      return a.value === b.value ? 0 : sign * (a.value > b.value ? 1 : -1);
    };
    rows.sort(compare).forEach(function (r) { body.appendChild(r.row); });
  }
  document.querySelectorAll("table").forEach(function (table) {
    const head = table.tHead, body = table.tBodies[0];
    if (!head || head.rows.length !== 1 || table.tBodies.length !== 1 || !(body.rows.length > 2)) return;
    const columns = head.rows[0].cells;
    const plain = function (row) {
      return row.cells.length === columns.length ? Array.from(row.cells).every(function (c) { return c.colSpan === 1 ? c.rowSpan === 1 : false; }) : false;
    };
    if (!Array.from(body.rows).every(plain)) return;
    Array.from(columns).forEach(function (th, i) {
      if (th.textContent.trim() === "") return;
      const button = document.createElement("button");
      button.type = "button";
      button.title = "Sort by this column";
      button.append.apply(button, Array.from(th.childNodes));
      th.append(button);
      button.addEventListener("click", function () {
        const up = th.getAttribute("aria-sort") !== "ascending";
        Array.from(columns).forEach(function (c) { c.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(body, i, up ? 1 : -1);
      });
    });
  });
  // What is folded is printed, but for the data of figures.
  let folded = [];
  addEventListener("beforeprint", function () {
    folded = Array.from(document.querySelectorAll("details:not([open]):not(.data)"));
    folded.forEach(function (d) { d.open = true; });
  });
  addEventListener("afterprint", function () { folded.forEach(function (d) { d.open = false; }); });
})();
