// dom.js: elements and numbers. Names come from files of anybody: they only ever become text.

export const $ = (id) => document.getElementById(id);

export function element(tag, text, parent, attributes = {}) {
    const e = document.createElement(tag);
    if (text !== null) e.textContent = text;
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
}

export function button(parent, id, text, label, action) {
    const b = element("button", text, parent, { id, type: "button", "aria-label": label, title: label });
    b.onclick = action;
    return b;
}

export function short(x) {
    if (!Number.isFinite(x)) return "";
    const size = Math.abs(x);
    if (Number.isInteger(x) && size < 1e6) return String(x);
    return size >= 1e6 || size < 1e-3 ? x.toExponential(2) : size >= 1e4 ? x.toFixed(0) : x.toPrecision(4);
}

// Of an axis: as few digits as it takes.
export function tick(x) {
    if (x === null) return "";
    const size = Math.abs(x), number = Number(x.toPrecision(3));
    return size > 0 && (size < 1e-3 || size >= 1e6) ? number.toExponential().replace("e+", "e") : String(number);
}

export function fill(table, head, rows) {
    table.textContent = "";
    const tr = element("tr", null, element("thead", null, table));
    for (const h of head) element("th", h, tr, { scope: "col" });
    const body = element("tbody", null, table);
    for (const row of rows) {
        const line = element("tr", null, body);
        for (const cell of row) element("td", typeof cell === "number" ? short(cell) : cell, line);
    }
}

export function download(url, name) {
    element("a", null, null, { href: url, download: name }).click();
}
