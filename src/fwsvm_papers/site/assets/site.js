"use strict";
// This script searches, sorts and filters tables, shows the leaderboard and all runs, and switches protocols. The address
// of the page keeps what the reader has chosen.
const PAGE = 50;
const WINDOW = matchMedia("(max-width:40rem)"), NARROW = WINDOW.matches;
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const chosen = () => new URLSearchParams(location.hash.slice(1));
const keep = (name, value) => {
  const state = chosen();
  value === null ? state.delete(name) : state.set(name, value);
  history.replaceState(null, "", `#${state}`);
};
// Returns the text as a reader types it: with plain spaces, and without the word joiners that keep "SWAP-2o" on one line.
const breakable = (text) => text.replaceAll("\u00a0", " ").replaceAll("\u2060", "");
// Returns the number at the beginning of a cell, after a sign such as ≥ or ?. For words, returns null.
const number = (text) => {
  const found = /^[≥≤<>=≈~?\s]*([-+−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)/i.exec(text);
  return found ? parseFloat(found[1].replaceAll(",", "").replace("−", "-")) : null;
};
const compare = (a, b, numeric) =>
  numeric ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
// Tests whether a cell has no value: it is empty, a dash, or the sign of an unknown value.
const missing = (value) => [null, "", "–", "?"].includes(value);
// Sorts items by a key. In both directions, the items without a value come last.
const sorted = (items, key, numeric, direction) => {
  const there = items.filter((item) => !missing(key(item)));
  there.sort((a, b) => direction * compare(key(a), key(b), numeric));
  return [...there, ...items.filter((item) => missing(key(item)))];
};
// A list of values to choose from. A link can choose several values, joined by commas.
const choice = (name, values, changed, titles = values, all = ["", "all"], label = name, start = "") => {
  const select = make("select", {}, ...(all ? [make("option", { value: all[0], textContent: all[1] })] : []));
  select.append(...values.map((value, place) => make("option", { value, textContent: titles[place] })));
  const given = chosen().get(name) ?? (start || null) ?? select.options[0]?.value ?? "";
  const several = given.split(",").length;
  if (several > 1 && !values.includes(given)) select.append(make("option", { value: given, textContent: `${several} chosen` }));
  select.value = given;
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  // The choice "all" is kept in the address only if another value is chosen at the start.
  const set = (value) => { select.value = value; keep(name, value || (start ? "" : null)); };
  select.onchange = () => { set(select.value); changed(); };
  return { name, set, get value() { return select.value; }, element: make("label", { textContent: label }, select) };
};
const search = (changed) => {
  const input = make("input", { type: "search", oninput: changed });
  return { get value() { return input.value.toLowerCase(); }, clear: () => { input.value = ""; }, element: make("label", { textContent: "Find" }, input) };
};
// Turns a heading into a button that calls `sort` with the direction.
const sortable = (heading, sort) => {
  const button = make("button", { type: "button" });
  button.append(...heading.childNodes);
  heading.append(button);
  button.onclick = () => {
    const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of heading.closest("thead").querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
    sort(direction);
  };
};
// A box that scrolls sideways can get the keyboard's focus, and has a name of its own. In other boxes, the header of the
// table stays in view.
const scrollable = (box, place = 0) => {
  const named = { tabindex: 0, role: "region", "aria-label": `Part ${place + 1}, can be scrolled sideways` };
  const set = () => {
    const spills = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("fits", !spills);
    for (const [name, value] of Object.entries(named)) spills ? box.setAttribute(name, value) : box.removeAttribute(name);
  };
  new ResizeObserver(set).observe(box);
};

// If the names of neighbouring columns begin with the same words, as in "CVM ours" and "CVM printed", writes these words
// only once, above the columns.
const twoLevels = (table) => {
  const heads = [...table.tHead.rows[0].cells], names = heads.map((head) => head.textContent.split(" ")), lower = make("tr");
  const near = names.slice(1).map((name, place) => {
    const end = name.findIndex((word, at) => word !== names[place][at] || word === "in" || at >= Math.min(name.length, names[place].length) - 1);
    return name.slice(0, end).join(" ");
  });
  const keys = names.map((_, place) => [near[place - 1] ?? "", near[place] ?? ""].sort((a, b) => b.length - a.length)[0]);
  let upper;
  heads.forEach((head, place) => {
    const key = keys[place], continues = key && keys[place - 1] === key;
    head.dataset.column = place;
    if (!key || (!continues && keys[place + 1] !== key)) { head.rowSpan = 2; return; }
    if (continues) upper.colSpan += 1;
    else head.before(upper = make("th", { scope: "colgroup", textContent: key.replace(/,$/, ""), colSpan: 1 }));
    head.textContent = head.textContent.slice(key.length + 1);
    lower.append(head);
  });
  if (upper) table.tHead.append(lower);
};

const enhance = (table) => {
  const body = table.tBodies[0], rows = [...body.rows];
  twoLevels(table);
  const heads = [...table.tHead.querySelectorAll("th:not([colspan])")].sort((a, b) => a.dataset.column - b.dataset.column || 0);
  // Marks the rows whose first cell is empty or equal to that of the row above. On phones, the text of this cell is shown
  // once, in a line above a group of such rows. After the rows are sorted or filtered, it is shown above each row. A column
  // of settings is shown in this way in every window.
  rows.forEach(({ cells: [cell], classList }, place) => {
    const before = rows[place - 1]?.cells[0].textContent;
    if (!place || cell.dataset.value !== undefined || (cell.textContent && cell.textContent !== before)) return;
    classList.add("more");
    table.classList.add("grouped");
    cell.replaceChildren(make("span", { className: "repeat", textContent: before }));
  });
  if (table.classList.contains("grouped")) {
    for (const { cells: [cell] } of rows) cell.dataset.label = heads[0].textContent;
    const stack = () => table.classList.toggle("stacked", WINDOW.matches || rows[0].cells[0].classList.contains("setting"));
    WINDOW.addEventListener("change", stack);
    stack();
  }
  if (rows.length < 3) return;
  const text = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  heads.forEach((head, column) => {
    const filled = rows.map((row) => text(row, column)).filter((cell) => !missing(cell));
    const numeric = filled.length > 0 && filled.every((cell) => number(cell) !== null);
    if (numeric) [head, ...rows.map((row) => row.cells[column])].forEach((cell) => cell.classList.add("number"));
    sortable(head, (direction) => {
      table.classList.add("mixed");
      const key = (row) => (numeric ? number(text(row, column)) : text(row, column));
      body.append(...sorted(rows, key, numeric, direction));
    });
  });
  if (rows.length < 8) return;
  const count = make("output");
  const apply = () => {
    const words = find.value;
    if (words || choices.some((one) => one.value && one.column)) table.classList.add("mixed");
    for (const row of rows)
      row.hidden = !breakable(row.textContent).toLowerCase().includes(words) || choices.some((one) => one.value && text(row, one.column) !== one.value);
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
  };
  const names = heads.map((head) => head.textContent);
  const choices = (table.dataset.filters ?? "").split(",").filter(Boolean).map((name) => {
    const column = names.indexOf(name), { start } = table.dataset, values = [...new Set(rows.map((row) => text(row, column)))];
    if (start === undefined && column) values.sort();
    return Object.assign(choice(name, values, apply, values, ["", "all"], name, start), { column });
  });
  const find = search(apply);
  table.parentNode.before(make("div", { className: "tools" }, ...choices.map((one) => one.element), find.element, count));
  apply();
  // A row to which the address leads is shown: if it is hidden, the filters are cleared.
  window.addEventListener("hashchange", () => {
    const target = rows.find((row) => row.id && row.id === location.hash.slice(1));
    if (!target?.hidden) return;
    for (const one of choices) one.set("");
    find.clear();
    apply();
    location.replace(`#${target.id}`);
  });
};

const runs = (box, data, { places, words: shown }) => {
  const columns = Object.keys(data), total = data[columns[0]].values.length;
  if (NARROW) columns.splice(4, 0, ...columns.splice(columns.indexOf("protocol"), 1));
  const cell = (column, row) => {
    const { values, words } = data[column];
    return words ? words[values[row]] ?? "" : values[row];
  };
  const all = Array.from({ length: total }, (_, row) => row);
  let order = all, page = 0;
  const filtered = ["experiment", "dataset", "method", "protocol", "stop_reason"].filter((name) => data[name]?.words);
  const again = () => { page = 0; show(); };
  const choices = filtered.map((name) => {
    const values = [...data[name].words].sort();
    return choice(name, values, again, values.map((value) => shown[value] ?? value.replaceAll("_", " ")), ["", "all"], data[name].title);
  });
  const find = search(again), count = make("output"), body = make("tbody");
  const back = make("button", { type: "button", textContent: "Back", onclick: () => { page -= 1; show(); } });
  const next = make("button", { type: "button", textContent: "Next", onclick: () => { page += 1; show(); } });
  const place = make("span");
  const matches = (row) =>
    choices.every((one) => !one.value || one.value.split(",").includes(cell(one.name, row))) &&
    (!find.value || columns.some((name) => `${cell(name, row)} ${shown[cell(name, row)] ?? ""}`.toLowerCase().includes(find.value)));
  const show = () => {
    const left = order.filter(matches), first = page * PAGE, part = left.slice(first, first + PAGE);
    count.textContent = `${left.length} of ${total} rows`;
    body.replaceChildren(...part.map((row) => make("tr", {}, ...columns.map((name) => {
      const value = cell(name, row), short = typeof value === "number" && !Number.isInteger(value) ? +value.toPrecision(4) : value ?? "–";
      const place = ["dataset", "method"].includes(name) && places[value], text = shown[value] ?? String(short).replaceAll("_", " ");
      return make("td", { className: data[name].words ? "" : "number" }, place ? make("a", { href: place, textContent: text }) : text);
    }))));
    place.textContent = part.length ? `${first + 1} to ${first + part.length}` : "no rows";
    back.disabled = page === 0;
    next.disabled = first + PAGE >= left.length;
  };
  const heads = columns.map((name) => {
    const head = make("th", { scope: "col", textContent: data[name].title, className: data[name].words ? "" : "number" });
    sortable(head, (direction) => { order = sorted(all, (row) => cell(name, row), !data[name].words, direction); again(); });
    return head;
  });
  const scroll = make("div", { className: "scroll" }, make("table", { className: "data" }, make("thead", {}, make("tr", {}, ...heads)), body));
  box.replaceChildren(make("div", { className: "tools" }, ...choices.map((one) => one.element), find.element, count), scroll,
    make("div", { className: "pages" }, back, place, next));
  scrollable(scroll);
  show();
};

// Shows the leaderboard: one measure under one protocol, with a row per data set and a column per method.
const board = (box, { values, words, codes, titles, signs, shown, places }) => {
  const changed = () => show();
  const measure = choice("measure", Object.keys(shown), changed, Object.values(shown).map((one) => one[0]), null);
  const protocol = choice("protocol", words.protocol, changed, titles.protocol, null);
  const written = { accuracy: (value) => value.toFixed(2), kept: (value) => value.toFixed(0), relative_gap: (value) => String(+value.toPrecision(2)),
    support_vectors: (value) => Math.round(value).toLocaleString("en") };
  const short = (value) => (value < 1000 ? value.toPrecision(3) : Math.round(value).toLocaleString("en"));
  const part = make("div");
  const show = () => {
    const name = measure.value, [, larger] = shown[name], at = words.protocol.indexOf(protocol.value), cells = {};
    codes.protocol.forEach((code, row) => {
      if (code === at) (cells[codes.dataset[row]] ??= {})[codes.method[row]] = row;
    });
    const columns = words.method.map((_, code) => code).filter((code) => Object.values(cells).some((row) => values[name][row[code]] != null));
    const body = Object.entries(cells).map(([code, row]) => {
      const dataset = words.dataset[code], place = places[code];
      const ranked = columns.map((code) => values[name][row[code]]).filter((value) => value != null).sort((a, b) => (larger ? a - b : b - a));
      return make("tr", {}, make("td", {}, place ? make("a", { href: place, textContent: dataset }) : dataset), ...columns.map((code) => {
        const value = values[name][row[code]], sign = signs[name]?.[row[code]] ?? "";
        const text = value == null ? "" : (written[name] ?? short)(value);
        const cell = make("td", { className: "number heat", textContent: value == null ? (sign === "?" ? "?" : "–") : `${sign}${sign && " "}${text}` });
        if (value != null && ranked.length > 1) cell.style.setProperty("--share", ranked.indexOf(value) / (ranked.length - 1));
        return cell;
      }));
    });
    const heads = ["Data set", ...columns.map((code) => titles.method[code])].map((text, place) => make("th", { scope: "col", className: place ? "number" : "", textContent: text.replaceAll("-", "-\u2060") }));
    const table = make("table", { className: "data" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body));
    const scroll = make("div", { className: "scroll" }, table);
    // only the table is replaced, so that the list keeps the keyboard's focus
    part.replaceChildren(scroll);
    enhance(table);
    scrollable(scroll, document.querySelectorAll(".scroll").length);
  };
  box.replaceChildren(make("div", { className: "tools" }, measure.element, protocol.element), part);
  show();
};
// The search box; its index is loaded when it is first used.
const find = (form) => {
  const input = form.querySelector("input"), list = form.querySelector("ul");
  let current = -1;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", false); input.removeAttribute("aria-activedescendant"); current = -1; };
  // Choosing the same place again does not change the address, so the event is sent here.
  const go = (href) => { location.href = href; close(); window.dispatchEvent(new Event("hashchange")); };
  const mark = (place) => {
    const options = [...list.children];
    current = (place + options.length) % options.length;
    options.forEach((one, index) => one.setAttribute("aria-selected", index === current));
    input.setAttribute("aria-activedescendant", options[current].id);
    options[current].scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    const split = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const asked = split(input.value), begins = (words) => asked.every((one) => words.some((word) => word.startsWith(one)));
    const hits = asked.length ? (window.PAGES ?? []).filter(([kind, words]) => begins(split(`${kind} ${words}`))) : [];
    hits.sort((a, b) => (split(b[1]).join() === asked.join()) - (split(a[1]).join() === asked.join()));
    list.replaceChildren(...hits.slice(0, 12).map(([kind, words, href], place) => {
      const option = make("li", { id: `found-${place}`, role: "option" }, make("small", { textContent: kind }), ` ${words}`);
      option.setAttribute("aria-selected", false);
      option.onmousedown = () => go(href);
      option.dataset.href = href;
      return option;
    }));
    if (asked.length && !hits.length && window.PAGES) list.append(make("li", { role: "option", textContent: "nothing found" }));
    list.hidden = !list.children.length;
    input.setAttribute("aria-expanded", !list.hidden);
  };
  input.onfocus = () => {
    if (!window.PAGES && !form.loaded) document.head.append(make("script", { src: "assets/pages.js", onload: show }));
    form.loaded = true;
  };
  input.oninput = show;
  input.onblur = close;
  input.onkeydown = (event) => {
    if (event.key === "Escape") close();
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { mark(event.key === "ArrowDown" ? current + 1 : Math.max(current, 0) - 1); event.preventDefault(); }
    const target = list.children[Math.max(current, 0)]?.dataset.href;
    if (event.key === "Enter" && target) go(target);
  };
  form.hidden = false;
};

for (const table of document.querySelectorAll("table.data")) enhance(table);
document.querySelectorAll(".scroll").forEach(scrollable);
if (NARROW) document.querySelectorAll(".part ~ .part").forEach((one) => { one.open = false; });
document.querySelector(".links [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
if (document.getElementById("runs")) runs(document.getElementById("runs"), window.RUNS, window.NAMES);
if (document.getElementById("board")) board(document.getElementById("board"), JSON.parse(document.getElementById("board-data").textContent));
find(document.querySelector(".search"));
window.addEventListener("beforeprint", () => document.querySelectorAll("details:not(.claims details,.appendix)").forEach((one) => { one.open = true; }));
for (const group of document.querySelectorAll(".switch")) {
  const buttons = [...group.children];
  const press = (name) => buttons.forEach((button) => {
    const on = button.dataset.shows === name;
    button.setAttribute("aria-pressed", on);
    document.getElementById(button.dataset.shows).hidden = !on;
  });
  buttons.forEach((button) => { button.onclick = () => { press(button.dataset.shows); keep("protocol", button.dataset.shows); }; });
  const asked = chosen().get("protocol");
  press(buttons.some((button) => button.dataset.shows === asked) ? asked : buttons[0].dataset.shows);
}
