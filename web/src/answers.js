// answers.js: what is known of an instant: verdicts, the force in each cone with what is left of it, modes with the
// wrenches of each. A live page and a page of an analysis show the same.
import { element, button, short } from "./dom.js";
import { PALETTE } from "./view.js";

const QUESTIONS = { instant: "This instant", sticking: "Can all contacts stick?", modes: "Which motions are possible?", closure: "What can the contacts hold?", impact: "Laws of impact" };
const NEAR = 0.9; // a larger part of the cone in use counts as close to slipping

// How a contact fares: a word for it, its tone, and the part of its cone that its force uses (null: none is known).
export function fares(c, verb = "sticks") {
    if (!c.lambda) return { word: "no force is known", tone: "none", used: null };
    const [normal, ...along] = c.lambda, friction = Math.hypot(...along), most = c.mu * Math.abs(normal);
    if (c.slides) return { word: "slides", tone: "slip", used: 1 };
    if (Math.abs(normal) <= 1e-9 * (c.largest ?? 0)) return { word: "carries nothing", tone: "none", used: null };
    if (along.length === 0 || c.mu === 0) return { word: "presses, no friction", tone: "stick", used: null };
    const used = friction < 1e-12 * most ? 0 : friction / most;
    if (used > 1 - 1e-6) return { word: `${verb}, at its limit`, tone: "slip", used: Math.min(used, 1) };
    return { word: `${verb}, ${Number((100 * (1 - used)).toPrecision(3))} % left`, tone: used > NEAR ? "near" : "stick", used };
}

function svg(tag, parent, attributes = {}) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
}

// The force in its friction cone, from the side: normal upwards, friction to the right (in the plane with its sign).
function cone(parent, c, state) {
    const box = svg("svg", parent, { viewBox: "-32 -40 64 44", class: `cone ${state.tone}`, role: "img", "aria-label": state.word });
    const slope = Math.min(c.mu, 1e3), high = Math.min(36, 30 / Math.max(slope, 1e-9));
    svg("polygon", box, { points: `0,0 ${-slope * high},${-high} ${slope * high},${-high}`, class: "inside" });
    svg("line", box, { x1: 0, y1: 0, x2: 0, y2: -high, class: "axis" });
    if (!c.lambda || state.used === null && state.tone === "none") return;
    const [normal, ...along] = c.lambda, side = along.length === 1 ? along[0] * Math.sign(normal) : Math.hypot(...along);
    const tip = 0.86 * high, x = Math.max(Math.min((side / Math.abs(normal)) * tip, 30), -30);
    const length = Math.hypot(x, tip), [u, v] = [x / length, -tip / length];
    svg("line", box, { x1: 0, y1: 0, x2: x - 5 * u, y2: -tip - 5 * v, class: "force" });
    svg("polygon", box, { points: `${x},${-tip} ${x - 6 * u - 3 * v},${-tip - 6 * v + 3 * u} ${x - 6 * u + 3 * v},${-tip - 6 * v - 3 * u}`, class: "head" });
}

function bar(parent, state) {
    const box = element("span", null, parent, { class: "used", role: "img", "aria-label": `uses ${short(100 * state.used)} % of its cone` });
    element("i", null, box, { class: state.tone }).style.width = `${(100 * state.used).toFixed(1)}%`;
}

const KIND = { n: "stick", s: "none", a: "none", j: "stick", c: "slip" };
const MEANING = { n: "sticks (rolls)", s: "separates", a: "approaches", j: "joint", c: "keeps contact and slides", l: "slides along +t", r: "slides along -t" };
export const toneOf = (word) => KIND[word.replace("~", "")] ?? (/^[+0-]+$/.test(word) && /^0+$/.test(word) ? "stick" : "slip");

function points(list, x, y) {
    return list.map((p) => `${x(p[0])},${y(p[1])}`).join(" ");
}

export class Answers {
    constructor(box, view) {
        Object.assign(this, { box, view, list: [] });
    }

    set(list) {
        this.list = list;
        this.box.textContent = "";
        this.view?.showAnswer(null);
        for (const a of list) this.show(a);
        const first = list.find((a) => a.contacts?.length) ?? list.find((a) => a.modes?.length);
        if (first) this.draw(first, first.contacts?.length ? this.refused(first) : first.modes[0]);
    }

    show(a) {
        const part = element("section", null, this.box, { class: "answer", "data-question": a.question });
        element("h2", QUESTIONS[a.question] || a.question, part);
        element("p", a.verdict, part, { class: a.good === true ? "verdict good" : a.good === false ? "verdict bad" : "verdict" });
        if (a.contacts?.length) this.contacts(part, a);
        if (a.modes?.length) this.modes(part, a);
        for (const line of a.lines) element("p", line, part, { class: "soft" });
        const laws = this.view ? (a.laws ?? []).filter((law) => law.motion) : [], row = element("div", null, laws.length ? part : null, { class: "row" });
        for (const law of laws) this.offer(row, `draw ${law.name}`, `Draw the velocities after the impact by the law ${law.name}`, () => this.draw(a, { motion: law.motion, contacts: [] }));
        if (a.proof) element("p", `checked: ${a.proof}`, part, { class: "proof" });
    }

    // What shows that not all can stick, or be balanced: a motion.
    refused(a) {
        return a.good === false && a.motion ? { motion: a.motion, contacts: [] } : null;
    }

    offer(part, text, label, action) {
        return button(part, "", text, label, action).classList.add("offer");
    }

    // ---- contacts: the tightest first

    contacts(part, a) {
        const surfaces = a.contacts.filter((c) => !c.bilateral || c.mu > 0); // joints have no cone
        const largest = Math.max(...a.contacts.map((c) => Math.abs(c.lambda?.[0] ?? 0)));
        const verb = a.question === "closure" ? "inside" : "sticks", rank = (e) => Math.round(1e6 * (e.state.used ?? -1));
        const list = surfaces.map((c) => ({ c: Object.assign(c, { largest }), state: fares(c, c.bounded ? "holds" : verb) })).sort((p, q) => rank(q) - rank(p));
        const row = element("div", null, part, { class: "row" });
        if (a.contacts.some((c) => c.force)) this.offer(row, "draw these forces", "Draw these forces", () => this.draw(a, null));
        else if (a.contacts.some((c) => c.at) && this.view) this.offer(row, "draw these contacts", "Draw these contacts", () => this.draw(a, null));
        if (a.motion?.some((m) => Math.hypot(...m.v, ...m.w) > 0) && this.view) this.offer(row, `draw ${a.moves}`, `Draw ${a.moves}`, () => this.draw(a, { motion: a.motion, contacts: [] }));
        const scroll = element("div", null, part, { class: "scroll" }), table = element("table", null, scroll, { class: "cones" });
        const head = element("tr", null, element("thead", null, table)), asked = list.some((e) => e.c.margin !== undefined);
        for (const h of ["contact", "in its cone", "", "normal", "\u03BC", ...(asked ? ["needs", "margin"] : [])]) element("th", h, head, { scope: "col" });
        const body = element("tbody", null, table);
        for (const { c, state } of list.slice(0, 300)) {
            const line = element("tr", null, body), [normal, ...along] = c.lambda ?? [];
            element("th", c.name, line, { scope: "row", title: c.name });
            cone(element("td", null, line), c, state);
            const how = element("td", null, line);
            element("span", state.word, how, { class: `state ${state.tone}` });
            if (state.used !== null) bar(how, state);
            for (const x of [normal, along.length || !c.lambda ? c.mu : null, ...(asked ? [c.required_mu, c.margin] : [])])
                element("td", x === null || x === undefined ? "" : short(x), line);
            line.onpointerenter = () => this.view?.highlight(c.at);
            line.onpointerleave = () => this.view?.highlight(null);
        }
        if (list.length > 300) element("p", `The tightest 300 of ${list.length} contacts are listed.`, part, { class: "soft" });
    }

    // ---- modes: which contact does what, and the wrenches that make it so

    modes(part, a) {
        if (a.plane && a.modes.some((m) => m.cut.length > 0)) this.plane(part, a);
        const scroll = element("div", null, part, { class: "scroll" }), table = element("table", null, scroll, { class: "modes" });
        const head = element("tr", null, element("thead", null, table)), cones = a.modes.some((m) => m.faces >= 0 && m.faces !== null);
        for (const h of ["mode", "under the wrench", ...(cones ? ["wrenches", "margin", "rays", "faces"] : [])]) element("th", h, head, { scope: "col" });
        const body = element("tbody", null, table);
        this.rows = a.modes.map((m, k) => {
            const line = element("tr", null, body), words = m.contacts.map((c) => `${c.name}: ${MEANING[c.word] ?? `slides, ${c.word}`}`).join(", ");
            const choose = button(element("td", null, line), "", "", `Draw mode ${words}`, () => this.choose(a, k));
            choose.classList.add("chips");
            for (const c of m.contacts) element("span", c.word, choose, { class: `chip ${toneOf(c.word)}` });
            element("td", m.fit, line, { class: m.fit === "strict" ? "good" : m.fit === "limit" ? "near" : "soft" });
            if (cones) {
                this.thumbnail(element("td", null, line), a, m, k);
                for (const x of [m.margin, m.rays, m.faces]) element("td", x === null || x === undefined ? "" : short(x), line);
            }
            return line;
        });
        element("p", Object.entries(MEANING).filter(([w]) => a.modes.some((m) => m.contacts.some((c) => c.word === w))).map(([w, t]) => `${w}: ${t}`).join("; "), part, { class: "soft" });
    }

    choose(a, k) {
        this.rows.forEach((line, i) => line.classList.toggle("chosen", i === k));
        for (const p of this.box.querySelectorAll(".plane polygon")) p.classList.toggle("chosen", Number(p.dataset.mode) === k);
        this.draw(a, a.modes[k]);
    }

    thumbnail(parent, a, m, k) {
        if (m.faces === null) { element("span", "not asked", parent, { class: "soft" }); return; }
        if (m.cut.length === 0) { element("span", "thin", parent, { class: "soft", title: "The plane of the picture meets these wrenches in a line, or not at all." }); return; }
        const r = a.plane.reach, box = svg("svg", parent, { viewBox: `${-r} ${-r} ${2 * r} ${2 * r}`, class: "thumb", role: "img", "aria-label": "wrenches of this mode" });
        svg("polygon", box, { points: points(m.cut, (x) => x, (y) => -y), fill: color(k) });
        svg("circle", box, { cx: a.plane.at[0], cy: -a.plane.at[1], r: 0.07 * r, class: "wrench" });
    }

    // All cones, cut by the plane through the wrench along two of its components.
    plane(part, a) {
        const r = a.plane.reach, s = 100 / r, x = (v) => s * v, y = (v) => -s * v;
        const figure = element("figure", null, part, { class: "plane" }), box = svg("svg", figure, { viewBox: "-120 -112 232 232", role: "img", "aria-label": `Wrenches of all modes, ${a.plane.x} against ${a.plane.y}` });
        svg("rect", box, { x: -100, y: -100, width: 200, height: 200, class: "frame" });
        const named = []; // a name where there is room
        a.modes.forEach((m, k) => {
            if (!m.cut?.length) return;
            const p = svg("polygon", box, { points: points(m.cut, x, y), fill: color(k), "data-mode": k });
            svg("title", p).textContent = m.text;
            p.onclick = () => this.choose(a, k);
            const at = m.cut.reduce((sum, q) => [sum[0] + q[0] / m.cut.length, sum[1] + q[1] / m.cut.length], [0, 0]);
            if (extent(m.cut) < 0.3 * r || named.some((q) => Math.hypot(at[0] - q[0], at[1] - q[1]) < 0.12 * r)) return;
            named.push(at);
            svg("text", box, { x: x(at[0]), y: y(at[1]) + 3, class: "name" }).textContent = m.text.length > 14 ? `${m.text.slice(0, 13)}\u2026` : m.text;
        });
        svg("line", box, { x1: -100, y1: 0, x2: 100, y2: 0, class: "axis" });
        svg("line", box, { x1: 0, y1: -100, x2: 0, y2: 100, class: "axis" });
        svg("circle", box, { cx: x(a.plane.at[0]), cy: y(a.plane.at[1]), r: 3.2, class: "wrench" });
        for (const [v, anchor] of [[-r, "start"], [r, "end"]]) {
            svg("text", box, { x: x(v), y: 109, "text-anchor": anchor }).textContent = short(v);
            svg("text", box, { x: -102, y: y(v) + (v > 0 ? 7 : 0), "text-anchor": "end" }).textContent = short(v);
        }
        svg("text", box, { x: 0, y: 117, "text-anchor": "middle" }).textContent = a.plane.x;
        svg("text", box, { transform: "translate(-109 0) rotate(-90)", "text-anchor": "middle" }).textContent = a.plane.y;
        element("figcaption", "Which wrenches make which mode; the dot is the wrench of this instant. Click into a region to draw its mode.", figure, { class: "soft" });
    }

    // ---- into the scene

    draw(a, mode) {
        if (!this.view) return;
        const word = new Map((mode?.contacts ?? []).map((c) => [c.name, toneOf(c.word)]));
        const list = mode?.contacts?.length ? mode.contacts.map((c) => ({ at: c.at, tone: toneOf(c.word) }))
            : (a.contacts ?? []).map((c) => ({ at: c.at, force: c.force, normal: c.normal, mu: c.mu, body: c.body, tone: word.get(c.name) ?? fares(c).tone }));
        this.view.showAnswer({ contacts: list.filter((c) => c.at), motion: mode?.motion ?? null });
        const counts = document.getElementById("counts");
        const surfaces = (mode?.contacts?.length ? mode.contacts : a.contacts ?? []).filter((c) => !c.bilateral && !c.bounded).length;
        if (counts && surfaces > 0) counts.textContent = `${surfaces} contact${surfaces === 1 ? "" : "s"}`;
    }
}

const color = (k) => `#${PALETTE[k % PALETTE.length].toString(16).padStart(6, "0")}`;

function extent(cut) {
    const xs = cut.map((p) => p[0]), ys = cut.map((p) => p[1]);
    return Math.min(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
}
