"use strict";
// Opens suspects beside their nearest rows, filters and sorts them, and keeps what is decided.
const PAGE = 25;
const FEW_COLUMNS = 8;
const ACTIONS = ["keep", "relabel", "drop"];

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const HEADINGS = ["row", "index", "label", "likely_label", "suspicion", "verdict", "action", "new_label"];
const isRegression = data.classes.length === 0;
const nameOf = (row) => data.rows[row][0];
const labelText = (label) => (isRegression ? String(label) : data.classes[label]);
const shortLabel = (label) => (isRegression ? String(Number(label.toPrecision(6))) : data.classes[label]);
const storeName = `broadlearn audit ${data.name}`;
const suspects = data.suspects.map((suspect) => ({
  ...suspect,
  card: byId(`row-${suspect.row}`),
  label: data.rows[suspect.row][1],
  text: [byId(`row-${suspect.row}`).textContent, ...data.rows[suspect.row]].join(" ").toLowerCase(),
}));
const ofRow = new Map(suspects.map((suspect) => [suspect.row, suspect]));
// Row -> { action, newLabel }; the label is text as in the file of corrections.
let choices = new Map();
let shown = suspects;
let limit = PAGE;
const lists = [...document.querySelectorAll("button.list")];
let list = lists[0]?.value;

// Marks that cannot be seen, such as those that reverse the text around them, are shown as escapes.
const visible = (text) =>
  text.replace(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => `\\u${mark.codePointAt(0).toString(16).padStart(4, "0")}`);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

const clipped = (text) => element("span", { className: "clip", title: visible(text) }, text);
const minus = (number) => String(number).replaceAll("-", "−");

// ---- Choices

function readChoices() {
  try {
    const kept = JSON.parse(localStorage.getItem(storeName) ?? "[]");
    choices = new Map(kept.filter(([row, choice]) => ofRow.has(row) && ACTIONS.includes(choice.action)));
  } catch {
    choices = new Map();
  }
}

function writeChoices() {
  try {
    if (choices.size) localStorage.setItem(storeName, JSON.stringify([...choices]));
    else localStorage.removeItem(storeName);
  } catch {
    // The browser keeps nothing for this page: choices last until it is closed.
  }
}

function decide(suspect, action) {
  if (choices.get(suspect.row)?.action === action) choices.delete(suspect.row);
  else choices.set(suspect.row, { action, newLabel: action === "relabel" ? labelText(suspect.likely) : "" });
  writeChoices();
  showChoice(suspect);
  countChoices();
}

function showChoice(suspect) {
  const choice = choices.get(suspect.row);
  suspect.card.dataset.action = choice?.action ?? "";
  for (const button of suspect.card.querySelectorAll(".decide button"))
    button.setAttribute("aria-pressed", String(button.value === choice?.action));
  suspect.card.querySelector(".new")?.remove();
  if (choice?.action === "relabel") suspect.card.querySelector(".decide").append(newLabelField(suspect, choice));
}

function newLabelField(suspect, choice) {
  const field = isRegression
    ? element("input", { type: "number", step: "any" })
    : element("select", {}, ...data.classes.map((name) => element("option", { value: name }, name)));
  field.value = choice.newLabel;
  field.setAttribute("aria-label", `New label of row ${nameOf(suspect.row)}`);
  field.addEventListener("change", () => {
    if (field.value === "") field.value = choice.newLabel;
    choice.newLabel = field.value;
    writeChoices();
  });
  return element("label", { className: "new" }, "to ", field);
}

function countChoices() {
  const made = [...choices.values()];
  const counts = ACTIONS.map((action) => `${made.filter((choice) => choice.action === action).length} ${action}`);
  byId("decided").textContent = `Decided ${choices.size} of ${suspects.length}: ${counts.join(", ")}`;
  byId("forget").disabled = !choices.size;
}

function csvText(text, isNumber = false) {
  if (isNumber) return text;
  const safe = text !== "" && data.formula_starts.includes(text[0]) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function corrections() {
  const label = (text) => csvText(text, data.labels_are_numbers && text !== "");
  const lines = suspects.map((suspect) => {
    const { action = "", newLabel = "" } = choices.get(suspect.row) ?? {};
    return [
      suspect.row,
      csvText(nameOf(suspect.row), data.index_is_numbers),
      label(labelText(suspect.label)),
      label(labelText(suspect.likely)),
      suspect.suspicion,
      csvText(suspect.verdict),
      csvText(action),
      label(newLabel),
    ].join(",");
  });
  return [HEADINGS.map((name) => csvText(name)).join(","), ...lines, ""].join("\n");
}

function download() {
  const address = URL.createObjectURL(new Blob([corrections()], { type: "text/csv;charset=utf-8" }));
  element("a", { href: address, download: "corrections.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// ---- One suspect

function prepare(suspect) {
  const group = element("div", { className: "decide" });
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", `Decision on row ${nameOf(suspect.row)}`);
  for (const action of ACTIONS) {
    const button = element("button", { type: "button", value: action }, action[0].toUpperCase() + action.slice(1));
    button.addEventListener("click", () => decide(suspect, action));
    group.append(button);
  }
  suspect.card.append(group);
  suspect.head = suspect.card.querySelector(".head");
  suspect.head.addEventListener("click", () => toggle(suspect));
  showChoice(suspect);
}

function toggle(suspect, open = suspect.head.getAttribute("aria-expanded") !== "true") {
  suspect.head.setAttribute("aria-expanded", String(open));
  if (open && !suspect.body) {
    suspect.body = element("div", { className: "body", id: `values-${suspect.row}` }, facts(suspect), ...comparison(suspect));
    suspect.head.setAttribute("aria-controls", suspect.body.id);
    suspect.card.append(suspect.body);
  }
  if (suspect.body) suspect.body.hidden = !open;
}

function facts(suspect) {
  const percent = (p) => `${(100 * p).toFixed(p > 0 && p < 0.01 ? 1 : 0)} %`;
  const parts = [];
  if (suspect.own_probability !== null && !isRegression)
    parts.push(["Probability of its label", percent(suspect.own_probability)]);
  if (suspect.likely_probability !== null) parts.push(["of the likely label", percent(suspect.likely_probability)]);
  return element("p", { className: "facts" }, ...parts.map(([name, text]) => element("span", {}, `${name} `, element("b", {}, text))));
}

function differs(mine, other, scale) {
  if (typeof mine === "number" && typeof other === "number") return Math.abs(mine - other) > scale / 2;
  return mine !== other;
}

function valueCell(value) {
  if (value === null) return element("td", {}, element("span", { className: "quiet" }, "missing"));
  if (typeof value === "number") return element("td", { className: "number" }, minus(value));
  return element("td", {}, clipped(value));
}

function heading(text, properties = {}) {
  return element("th", { scope: "col", ...properties }, clipped(text));
}

function withValue(cell, row) {
  if (isRegression) cell.append(element("span", { className: "quiet" }, minus(shortLabel(data.rows[row][1]))));
  return cell;
}

function likesHeading(suspect, likes, isOwn) {
  if (isRegression) return "Nearest rows";
  if (isOwn) return `Nearest of its label, ${labelText(suspect.label)}`;
  const label = data.rows[likes[0]][1];
  if (likes.some((row) => data.rows[row][1] !== label)) return "Nearest of other labels";
  return `Nearest of ${label === suspect.likely ? "the likely label" : "another label"}, ${labelText(label)}`;
}

function comparison(suspect) {
  const share = (j) => suspect.shares[j] ?? 0;
  const order = data.columns.map((_, j) => j).sort((a, b) => share(b) - share(a) || a - b);
  const groups = [suspect.own, suspect.other].filter((likes) => likes.length);
  const groupRow = element("tr", {}, element("td"), element("td"));
  const nameRow = element("tr", {}, heading("Column and its share"), withValue(heading("This row"), suspect.row));
  for (const likes of groups) {
    groupRow.append(heading(likesHeading(suspect, likes, likes === suspect.own), { colSpan: likes.length, scope: "colgroup", className: "likes first" }));
    likes.forEach((row, k) => {
      const cell = heading(`Row ${nameOf(row)}`, { className: k ? "" : "first" });
      nameRow.append(withValue(cell, row));
    });
  }
  const lines = order.map((j) => {
    const values = data.rows[suspect.row];
    const named = element("div", { className: "named" }, clipped(data.columns[j]));
    const name = element("th", { scope: "row" }, named);
    name.style.setProperty("--p", share(j));
    if (share(j) >= 0.005) named.append(element("span", { className: "quiet" }, `${Math.round(100 * share(j))} %`));
    const mine = valueCell(values[j + 2]);
    mine.classList.add("mine");
    const line = element("tr", { className: share(j) >= 0.1 ? "speaks" : "" }, name, mine);
    for (const likes of groups)
      likes.forEach((row, k) => {
        const cell = valueCell(data.rows[row][j + 2]);
        cell.classList.toggle("first", k === 0);
        cell.classList.toggle("differs", differs(values[j + 2], data.rows[row][j + 2], data.scales[j]));
        line.append(cell);
      });
    return line;
  });
  const table = element("table", { className: "compare" }, element("thead", {}, groupRow, nameRow), element("tbody", {}, ...lines));
  const box = element("div", { className: "scroll", tabIndex: 0 }, table);
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Values of row ${nameOf(suspect.row)} and of its nearest rows`);
  const rest = lines.length > FEW_COLUMNS + 2 ? lines.slice(FEW_COLUMNS) : [];
  if (!rest.length) return [box];
  for (const line of rest) line.hidden = true;
  const more = element("button", { type: "button", className: "link" });
  const show = (open) => {
    for (const line of rest) line.hidden = !open;
    more.textContent = open ? "Show fewer columns" : `Show ${rest.length} other columns`;
    more.setAttribute("aria-expanded", String(open));
  };
  more.addEventListener("click", () => show(rest[0].hidden));
  show(false);
  return [box, more];
}

// ---- The list

const collator = new Intl.Collator("en", { numeric: true });
const orders = {
  suspicion: (a, b) => b.suspicion - a.suspicion,
  row: (a, b) => a.row - b.row,
  label: (a, b) => (isRegression ? a.label - b.label : collator.compare(labelText(a.label), labelText(b.label))),
};

function refresh() {
  const given = byId("given")?.value ?? "";
  const verdict = byId("verdict").value;
  const words = byId("words").value.toLowerCase().split(/\s+/);
  const least = Number(byId("least").value);
  byId("least_shown").textContent = least.toFixed(2);
  shown = suspects.filter(
    (suspect) =>
      suspect.list === list &&
      (given === "" || suspect.label === Number(given)) &&
      (verdict === "" || suspect.verdict === verdict) &&
      suspect.suspicion >= least &&
      words.every((word) => suspect.text.includes(word)),
  );
  const order = orders[byId("order").value];
  if (order) shown.sort(order);
  for (const { card } of suspects) card.hidden = true;
  for (const { card } of shown.slice(0, limit)) card.hidden = false;
  byId("cards").prepend(...shown.map(({ card }) => card));
  byId("found").textContent = `${Math.min(limit, shown.length)} of ${shown.length} shown` + (words.join("") || given || verdict || least ? " with these filters" : "");
  byId("more").hidden = limit >= shown.length;
  byId("more").textContent = `Show ${Math.min(PAGE, shown.length - limit)} more`;
}

function showList(name) {
  list = name;
  for (const button of lists) button.setAttribute("aria-pressed", String(button.value === name));
  limit = PAGE;
  refresh();
}

function showMore() {
  limit += PAGE;
  refresh();
}

function goTo(suspect) {
  if (!shown.includes(suspect)) {
    for (const id of ["given", "verdict", "words"]) if (byId(id)) byId(id).value = "";
    byId("least").value = 0;
    showList(suspect.list);
  }
  const place = shown.indexOf(suspect);
  if (place >= limit) {
    limit = PAGE * Math.ceil((place + 1) / PAGE);
    refresh();
  }
  suspect.head.focus({ preventScroll: true });
  suspect.card.scrollIntoView({ block: "nearest" });
}

function openAndGoTo(suspect) {
  goTo(suspect);
  toggle(suspect, true);
  suspect.card.scrollIntoView({ block: "start" });
}

function openAddress() {
  const suspect = ofRow.get(Number(location.hash.replace("#row-", "") || NaN));
  if (suspect) openAndGoTo(suspect);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const current = ofRow.get(Number(event.target.closest(".card")?.id.slice(4) ?? NaN));
  const isArrow = event.key.startsWith("Arrow");
  // Arrows scroll, but for the heads of suspects.
  if (isArrow && !event.target.closest(".head")) return;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const action = ACTIONS[Number(event.key) - 1];
  if (step) {
    const next = current ? shown[shown.indexOf(current) + step] : shown[0];
    if (next) goTo(next);
  } else if (action && current) decide(current, action);
  else return;
  event.preventDefault();
}

if (suspects.length) {
  readChoices();
  suspects.forEach(prepare);
  countChoices();
  const options = (id, values, text) => {
    const count = new Map();
    for (const value of values) count.set(value, (count.get(value) ?? 0) + 1);
    for (const [value, n] of [...count].sort(([a], [b]) => (typeof a === "number" ? a - b : 0)))
      byId(id)?.append(element("option", { value }, `${text(value)} (${n})`));
  };
  options("given", suspects.map(({ label }) => label), labelText);
  options("verdict", suspects.map(({ verdict }) => verdict), String);
  for (const kind of ["input", "change"])
    byId("filters").addEventListener(kind, () => {
      limit = PAGE;
      refresh();
    });
  for (const button of lists) button.addEventListener("click", () => showList(button.value));
  byId("more").addEventListener("click", showMore);
  byId("download").addEventListener("click", download);
  byId("forget").addEventListener("click", () => {
    choices.clear();
    writeChoices();
    suspects.forEach(showChoice);
    countChoices();
  });
  addEventListener("keydown", pressed);
  addEventListener("hashchange", openAddress);
  for (const part of document.querySelectorAll(".controls, .choices")) part.hidden = false;
  refresh();
  toggle(shown[0], true);
  openAddress();
}
