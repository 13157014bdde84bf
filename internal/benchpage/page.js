"use strict";
// The page works without this file. With it, Enter goes to the next field, and what is typed and not stored yet is there
// again after the page was left or reloaded, in this tab alone.
const fields = [...document.querySelectorAll("input[name^='r.']")];
for (const key of Object.keys(sessionStorage)) {
  if (!fields.some((f) => f.name === key)) sessionStorage.removeItem(key);
}
fields.forEach((field, k) => {
  field.value ||= sessionStorage.getItem(field.name) ?? "";
  field.addEventListener("input", () => sessionStorage.setItem(field.name, field.value));
  field.addEventListener("keypress", (e) => {
    if (e.key !== "Enter" || e.isComposing || k + 1 === fields.length) return;
    e.preventDefault();
    fields[k + 1].focus();
  });
});
for (const reason of document.querySelectorAll("input[name^='why.']")) {
  reason.addEventListener("keypress", (e) => {
    if (e.key === "Enter") e.preventDefault();
  });
}
