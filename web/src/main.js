// main.js: the page: time line, curves, tables, keys. The run stands in the page as JSON (<script id="run">).
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./page.css";
import { Run } from "./data.js";
import { View, MODE_COLOR } from "./view.js";

const $ = (id) => document.getElementById(id);
const state = { time: 0, playing: false, speed: 1, frame: -1, dark: false, last: 0 };
let run, view = null, plots = [];

// Names come from files of anybody: they only ever become text.
function element(tag, text, parent, attributes = {}) {
    const e = document.createElement(tag);
    if (text !== null) e.textContent = text;
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (parent) parent.append(e);
    return e;
}

const short = (x) => (Number.isFinite(x) ? (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : x.toPrecision(4)) : "");

// ---- the frame: built here, so that the file holds nothing but data and this script

function layout() {
    const top = element("header", null, document.body);
    element("h1", run.title, top);
    element("p", run.description || "", top, { class: "description" });
    const tools = element("div", null, top, { class: "tools", role: "toolbar", "aria-label": "View" });
    const button = (id, text, label, action) => {
        const b = element("button", text, tools, { id, type: "button", "aria-label": label, title: label });
        b.onclick = action;
        return b;
    };
    const toggle = (id, text, key, label) => {
        const b = button(id, text, label, () => { view.options[key] = !view.options[key]; b.setAttribute("aria-pressed", view.options[key]); view.show(state.frame); });
        b.setAttribute("aria-pressed", view.options[key]);
    };
    const main = element("main", null, document.body);
    const stage = element("section", null, main, { id: "stage", "aria-label": "The scene" });
    if (run.kind !== "curves") {
        const canvas = element("canvas", null, stage, { id: "canvas", tabindex: "0", role: "img", "aria-label": `${run.title}: moving picture` });
        try {
            view = new View(canvas, run);
        } catch (error) {
            canvas.remove();
            element("p", `The picture needs WebGL, which this browser does not offer (${error.message}). Curves and tables work without.`, stage, { class: "failed", role: "alert" });
        }
        legend(stage);
    } else {
        main.classList.add("curves-only");
    }
    if (view) {
        toggle("forces", "forces", "forces", "Forces of contacts (F)");
        toggle("cones", "cones", "cones", "Friction cones (C)");
        if (run.walls) toggle("vessel", "vessel", "vessel", "Walls (V)");
        button("home", "reset view", "Reset the view (Home)", () => view.home());
        button("picture", "picture", "Save a picture, PNG (P)", savePicture);
        button("video", "video", "Record a video, WebM (R)", toggleVideo);
    }
    button("theme", "light / dark", "Light or dark (D)", () => theme(!state.dark));
    const side = element("aside", null, main, { "aria-label": "Curves and tables" });
    element("div", null, side, { id: "curves" });
    element("div", null, side, { id: "tables" });
    timeline();
    element("p", "", document.body, { id: "status", role: "status", "aria-live": "polite", class: "hidden" });
}

function legend(stage) {
    const box = element("div", null, stage, { class: "legend", "aria-label": "Colours of contacts" });
    for (const [word, text] of [["stick", "sticks"], ["slip", "slips"], ["open", "open"]]) {
        const line = element("span", null, box);
        element("i", "", line).style.background = `#${MODE_COLOR[word].toString(16).padStart(6, "0")}`;
        line.append(text);
    }
    element("span", "", box, { id: "counts" });
    for (const note of run.notes || []) element("span", note, box, { class: "note" });
}

function timeline() {
    const bar = element("footer", null, document.body, { role: "group", "aria-label": "Time" });
    const button = (id, text, label, action) => { element("button", text, bar, { id, type: "button", "aria-label": label, title: label }).onclick = action; };
    button("back", "\u2039", "One frame back (left arrow)", () => step(-1));
    button("play", "\u25B6", "Play or pause (space)", () => play(!state.playing));
    button("forth", "\u203A", "One frame on (right arrow)", () => step(1));
    const scrub = element("input", null, bar, { id: "scrub", type: "range", min: 0, max: Math.max(run.count - 1, 0), step: 1, value: 0, "aria-label": "Time" });
    scrub.oninput = () => { play(false); seek(run.times[scrub.value]); };
    element("output", "", bar, { id: "clock", "aria-label": "Time now" });
    const speed = element("select", null, bar, { id: "speed", "aria-label": "Speed" });
    for (const s of [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10]) element("option", `${s} \u00D7`, speed, { value: s });
    speed.value = "1";
    speed.onchange = () => { state.speed = Number(speed.value); };
    if (view) {
        const follow = element("select", null, bar, { id: "follow", "aria-label": "Follow a body" });
        element("option", "follow nothing", follow, { value: -1 });
        const count = run.kind === "grains" ? Math.min(run.grains.count, 200) : run.bodies.length;
        for (let k = 0; k < count; k++) if (run.kind === "grains" || !run.bodies[k].fixed) element("option", `follow ${run.nameOf(k)}`, follow, { value: k });
        follow.onchange = () => { view.follow = Number(follow.value); view.show(state.frame); };
    }
}

// ---- time

function seek(t) {
    state.time = Math.min(Math.max(t, run.start), run.end);
    const frame = run.frameAt(state.time);
    $("clock").textContent = `t = ${state.time.toFixed(run.end > 100 ? 1 : 3)}`;
    for (const p of plots) marker(p);
    if (frame === state.frame) return;
    state.frame = frame;
    $("scrub").value = frame;
    $("scrub").setAttribute("aria-valuetext", `t = ${short(run.times[frame])}`);
    if (view) view.show(frame);
    tables();
}

function play(on) {
    if (on && state.time >= run.end) seek(run.start);
    state.playing = on && run.count > 1;
    $("play").textContent = state.playing ? "\u2016" : "\u25B6";
    $("play").setAttribute("aria-pressed", state.playing);
    state.last = performance.now();
    $("status").textContent = state.playing ? "playing" : `paused at t = ${short(state.time)}`;
}

function step(by) {
    play(false);
    seek(run.times[Math.min(Math.max(state.frame + by, 0), run.count - 1)]);
}

function tick(now) {
    if (state.playing) {
        const t = state.time + (state.speed * (now - state.last)) / 1000;
        state.last = now;
        seek(t);
        if (t >= run.end) play(false);
    }
    if (view) {
        if (view.controls.enabled) view.controls.update();
        view.draw();
    }
    requestAnimationFrame(tick);
}

// ---- curves

const INK = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

function marker(plot) {
    const x = plot.valToPos(state.time, "x");
    plot.mark.style.left = `${x}px`;
}

function curves() {
    const box = $("curves"), width = Math.max(box.clientWidth - 8, 200);
    const color = getComputedStyle(document.body);
    for (const p of plots) p.destroy();
    plots = [];
    box.textContent = "";
    const choose = element("details", null, box, { class: "choose" });
    element("summary", "curves", choose);
    run.groups.forEach((group, g) => {
        const label = element("label", null, choose);
        const tick = element("input", null, label, { type: "checkbox" });
        tick.checked = group.shown;
        tick.onchange = () => { group.shown = tick.checked; curves(); $("curves").querySelector("details").open = true; };
        label.append(group.title);
        if (!group.shown) return;
        const series = group.names.map((name) => run.series.find((s) => s.name === name));
        const log = group.log === true;
        const ink = color.getPropertyValue("--ink"), grid = { stroke: color.getPropertyValue("--line"), width: 1 };
        const axis = { stroke: ink, grid, ticks: grid, font: "11px system-ui, sans-serif" };
        const plot = new uPlot({
            title: group.title, width, height: run.kind === "curves" ? 230 : 168, scales: { x: { time: false }, y: { distr: log ? 3 : 1 } },
            cursor: { drag: { x: false, y: false } }, legend: { live: true },
            axes: [axis, { ...axis, size: 62, values: (_, ticks) => ticks.map((v) => (v === null ? "" : short(v))) }],
            series: [{ label: "t", value: (_, v) => (v === null ? "" : short(v)) },
                ...series.map((s, i) => ({ label: s.name, stroke: INK[(i + (g > 0 ? g - 1 : 0)) % INK.length], width: 1.6, value: (_, v) => (v === null ? "" : short(v)), points: { show: false } }))],
        }, [run.curve_time, ...series.map((s) => (log ? Array.from(s.values, (v) => (v > 0 ? v : null)) : s.values))], box);
        plot.mark = element("div", null, plot.over, { class: "mark" });
        plot.over.addEventListener("pointerdown", (e) => { play(false); seek(plot.posToVal(e.offsetX, "x")); });
        plot.over.addEventListener("pointermove", (e) => { if (e.buttons === 1) seek(plot.posToVal(e.offsetX, "x")); });
        plots.push(plot);
        marker(plot);
    });
}

// ---- tables

function fill(table, head, rows) {
    table.textContent = "";
    const tr = element("tr", null, element("thead", null, table));
    for (const h of head) element("th", h, tr, { scope: "col" });
    const body = element("tbody", null, table);
    for (const row of rows) {
        const line = element("tr", null, body);
        for (const cell of row) element("td", typeof cell === "number" ? short(cell) : cell, line);
    }
}

function tables() {
    if (run.kind === "curves") return;
    const [from, to] = run.contacts ? run.contactRange(state.frame) : [0, 0], most = 200, place = [0, 0, 0, 0, 0, 0, 0];
    const contacts = [], bodies = [];
    for (let row = from; row < Math.min(to, from + most); row++) {
        const c = run.contact(row);
        contacts.push([run.nameOf(c.a), run.nameOf(c.b), c.mode, c.normal, c.friction, c.mu, c.normal > 0 && c.mu > 0 ? c.friction / (c.mu * c.normal) : ""]);
    }
    const count = run.kind === "grains" ? run.grains.count : run.bodies.length;
    for (let k = 0; k < Math.min(count, most); k++) {
        const p = run.place(state.frame, k, place);
        bodies.push([run.nameOf(k), p[0], p[1], ...(run.dim === 3 ? [p[2]] : [])]);
    }
    $("contacts-title").textContent = `contacts (${to - from}${to - from > most ? `, the first ${most}` : ""})`;
    $("bodies-title").textContent = `bodies (${count}${count > most ? `, the first ${most}` : ""})`;
    $("counts").textContent = `${to - from} contacts`;
    if ($("contacts-table").parentElement.open) fill($("contacts-table"), ["on", "from", "mode", "normal", "friction", "\u03BC", "of its cone"], contacts);
    if ($("bodies-table").parentElement.open) fill($("bodies-table"), ["name", "x", "y", ...(run.dim === 3 ? ["z"] : [])], bodies);
}

function makeTables() {
    if (run.kind === "curves") return;
    for (const [name, open] of [["contacts", true], ["bodies", false]]) {
        const box = element("details", null, $("tables"));
        element("summary", "", box, { id: `${name}-title` });
        element("table", null, box, { id: `${name}-table` });
        box.open = open;
        box.ontoggle = tables;
    }
}

// ---- pictures and video

function download(url, name) {
    element("a", null, null, { href: url, download: name }).click();
}

function savePicture() {
    view.draw();
    download(view.canvas.toDataURL("image/png"), "stiction.png");
}

let recorder = null;
function toggleVideo() {
    if (recorder) return recorder.stop();
    const parts = [];
    recorder = new MediaRecorder(view.canvas.captureStream(30), { mimeType: "video/webm" });
    recorder.ondataavailable = (e) => parts.push(e.data);
    recorder.onstop = () => { recorder = null; $("video").classList.remove("on"); download(URL.createObjectURL(new Blob(parts, { type: "video/webm" })), "stiction.webm"); };
    recorder.start();
    $("video").classList.add("on");
    play(true);
}

// ---- light and dark, keys

function theme(dark) {
    state.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    if (view) view.background(dark ? 0x14181d : 0xf7f8fa);
    curves();
}

const keys = { " ": () => play(!state.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => view && view.home(),
    f: () => $("forces")?.click(), c: () => $("cones")?.click(), v: () => $("vessel")?.click(), d: () => theme(!state.dark),
    p: () => $("picture")?.click(), r: () => $("video")?.click(), "[": () => slower(-1), "]": () => slower(1) };

function slower(by) {
    const s = $("speed");
    s.selectedIndex = Math.min(Math.max(s.selectedIndex + by, 0), s.options.length - 1);
    s.onchange();
}

function main() {
    const began = performance.now();
    run = new Run(JSON.parse($("run").textContent));
    document.title = `${run.title} \u2013 Stiction`;
    layout();
    makeTables();
    theme(matchMedia("(prefers-color-scheme: dark)").matches);
    window.addEventListener("keydown", (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(e.target.tagName) && e.key === " ") return;
        const action = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
        if (action) { action(); e.preventDefault(); }
    });
    window.addEventListener("resize", () => { if (view) view.resize(); curves(); });
    if (view) view.resize();
    seek(run.start);
    if (view) view.draw();
    requestAnimationFrame(tick);
    // What tests and programs around the page may ask.
    window.stiction = { run, view, seek, play, state, plots: () => plots, census: () => (view ? view.census() : null), startup_ms: performance.now() - began };
}

main();
