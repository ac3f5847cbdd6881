// main.js: what a page holds: runs (<script id="run">), or the way to a live one.
import { Run } from "./data.js";
import { MapPage } from "./map.js";
import { Page } from "./page.js";
import { connect } from "./live.js";
import { element } from "./dom.js";
import "./page.css"; // after the style of the curves

const began = performance.now();
let page = null;

function show(run, extra) {
    if (page) page.close();
    page = run.kind === "map" ? new MapPage(run) : new Page(run, extra);
    const parts = { get run() { return page.run; }, get view() { return page.view; }, get state() { return page.state; } };
    // What tests and programs around the page may ask.
    window.stiction = Object.assign(window.stiction || {}, { seek: (t) => page.seek(t), play: (on) => page.play(on), census: () => (page.view ? page.view.census() : null) });
    Object.defineProperties(window.stiction, Object.getOwnPropertyDescriptors(parts));
    return page;
}

function main() {
    const data = JSON.parse(document.getElementById("run").textContent);
    if (data.live) return connect(data.live, show);
    const open = (k) => show(new Run(data.runs[k]), {
        tabs: data.runs.map((r, i) => ({ title: r.title, chosen: i === k, open: () => open(i) })), text: data.text });
    open(0);
    window.stiction.startup_ms = performance.now() - began;
    window.stiction.open = open;
}

try {
    main();
} catch (error) {
    element("p", `This page could not be shown: ${error.message}`, document.body, { role: "alert", class: "failed" });
    throw error;
}
