// page.js: one run on the page: the scene, the time line, curves, tables, what was checked, keys.
import { View, MODE_COLOR } from "./view.js";
import { Answers } from "./answers.js";
import { Curves } from "./curves.js";
import { $, element, button, short, fill, download } from "./dom.js";

let dark = matchMedia("(prefers-color-scheme: dark)").matches;

export class Page {
    constructor(run, extra = {}) {
        this.run = run;
        this.extra = extra;
        this.state = { time: run.start, playing: false, speed: 1, frame: -1, last: 0 };
        this.view = null;
        this.recorder = null;
        this.closed = false;
        document.title = `${run.title} \u2013 Stiction`;
        for (const e of [...document.body.children]) if (e.tagName !== "SCRIPT") e.remove();
        this.layout();
        this.onkey = (e) => this.key(e);
        this.onsize = () => { if (this.view) this.view.resize(); this.curves.draw(); this.curves.at(this.state.time); };
        window.addEventListener("keydown", this.onkey);
        window.addEventListener("resize", this.onsize);
        if (this.view) this.view.resize();
        this.theme(dark);
        this.seek(run.start);
        if (this.view) this.view.draw();
        const tick = (now) => { if (!this.closed) { this.tick(now); requestAnimationFrame(tick); } };
        requestAnimationFrame(tick);
    }

    close() {
        this.closed = true;
        window.removeEventListener("keydown", this.onkey);
        window.removeEventListener("resize", this.onsize);
        if (this.view) this.view.close();
    }

    // ---- the frame: built here, so that the file holds nothing but data and this script

    layout() {
        const { run } = this, top = element("header", null, document.body);
        element("h1", run.title, top);
        this.tabs(top);
        element("p", "", top, { class: "description" });
        this.describe();
        this.tools = element("div", null, top, { class: "tools", role: "toolbar", "aria-label": "View" });
        const main = element("main", null, document.body);
        const stage = element("section", null, main, { id: "stage", "aria-label": "The scene" });
        if (run.kind === "curves" || run.kind === "instant") main.classList.add("curves-only");
        else this.openView(stage);
        this.toolbar();
        const side = element("aside", null, main, { "aria-label": "Curves and tables" });
        this.side = element("div", null, side, { id: "own" });
        this.curves = new Curves(element("div", null, side, { id: "curves" }), run, (t) => { this.play(false); this.seek(t); });
        element("div", null, side, { id: "tables" });
        this.makeTables();
        this.checks($("tables"));
        if (this.extra.text) this.transcript(side);
        this.keys(side);
        if (!run.answers) this.timeline();
        else this.answers(main);
        element("p", "", document.body, { id: "status", role: "status", "aria-live": "polite", class: "hidden" });
    }

    describe() {
        const { title, description } = this.run;
        document.querySelector(".description").textContent = description && description !== title ? description : "";
    }

    answers(main) {
        main.classList.add("asked");
        this.view?.show(0);
        new Answers(this.side, this.view).set(this.run.answers);
    }

    tabs(top) {
        const tabs = this.extra.tabs || [];
        if (tabs.length < 2) return;
        const bar = element("nav", null, top, { "aria-label": "Runs" });
        for (const t of tabs) {
            const b = button(bar, "", t.title, `Show ${t.title}`, t.open);
            b.removeAttribute("id");
            b.setAttribute("aria-pressed", t.chosen);
        }
    }

    openView(stage) {
        const canvas = element("canvas", null, stage, { id: "canvas", tabindex: "0", role: "img", "aria-label": `${this.run.title}: moving picture` });
        try {
            this.view = new View(canvas, this.run);
        } catch (error) {
            canvas.remove();
            element("p", `The picture needs WebGL, which this browser does not offer (${error.message}). Curves and tables work without.`, stage, { class: "failed", role: "alert" });
        }
        const box = element("div", null, stage, { class: "legend", "aria-label": "Colours of contacts" });
        const colours = this.run.answers ? [["stick", "sticks"], ["near", "more than 90 % of its cone in use"], ["slip", "slips, or at its limit"], ["none", "carries nothing, or opens"]]
            : [["stick", "sticks"], ["near", "sticks, more than 90 % of its cone in use"], ["slip", "slips"], ["open", "open"]];
        for (const [word, text] of colours) {
            const line = element("span", null, box);
            element("i", "", line).style.background = `#${MODE_COLOR[word].toString(16).padStart(6, "0")}`;
            line.append(text);
        }
        element("span", "", box, { id: "counts" });
        for (const note of this.run.notes || []) element("span", note, box, { class: "note" });
    }

    toolbar() {
        const { tools, run, view } = this;
        const toggle = (id, key, label) => {
            const b = button(tools, id, id, label, () => { view.options[key] = !view.options[key]; b.setAttribute("aria-pressed", view.options[key]); view.show(this.state.frame); });
            b.setAttribute("aria-pressed", view.options[key]);
        };
        if (view) {
            if (!run.answers) toggle("forces", "forces", "Forces of contacts (F)");
            toggle("cones", "cones", "Friction cones (C)");
            if (run.walls) toggle("vessel", "vessel", "Walls (V)");
            if (run.kind === "bodies" && !run.answers) toggle("trails", "trails", "Trails of bodies (T)");
            button(tools, "home", "reset view", "Reset the view (Home)", () => view.home());
            button(tools, "picture", "picture", "Save a picture, PNG (P)", () => this.savePicture());
            button(tools, "video", "video", "Record a video, WebM (R)", () => this.toggleVideo());
        }
        button(tools, "theme", "light / dark", "Light or dark (D)", () => this.theme(!dark));
    }

    timeline() {
        const { run, view } = this, bar = element("footer", null, document.body, { role: "group", "aria-label": "Time" });
        button(bar, "back", "\u2039", "One frame back (left arrow)", () => this.step(-1));
        button(bar, "play", "\u25B6", "Play or pause (space)", () => this.play(!this.state.playing));
        button(bar, "forth", "\u203A", "One frame on (right arrow)", () => this.step(1));
        this.scrub = element("input", null, bar, { id: "scrub", type: "range", min: 0, max: Math.max(run.count - 1, 0), step: 1, value: 0, "aria-label": "Time" });
        this.scrub.oninput = () => { this.play(false); this.seek(run.times[this.scrub.value]); };
        element("output", "", bar, { id: "clock", "aria-label": "Time now" });
        const speed = element("select", null, bar, { id: "speed", "aria-label": "Speed" });
        for (const s of [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10]) element("option", `${s} \u00D7`, speed, { value: s });
        speed.value = "1";
        speed.onchange = () => { this.state.speed = Number(speed.value); };
        if (!view) return;
        const follow = element("select", null, bar, { id: "follow", "aria-label": "Follow a body" });
        element("option", "follow nothing", follow, { value: -1 });
        const count = run.kind === "grains" ? Math.min(run.grains.count, 200) : run.bodies.length;
        for (let k = 0; k < count; k++) if (run.kind === "grains" || !run.bodies[k].fixed) element("option", `follow ${run.nameOf(k)}`, follow, { value: k });
        follow.onchange = () => { view.follow = Number(follow.value); view.show(this.state.frame); };
    }

    // ---- time

    seek(t) {
        const { run, state } = this;
        state.time = Math.min(Math.max(t, run.start), run.end);
        const frame = run.frameAt(state.time);
        if (this.scrub) $("clock").textContent = `t = ${state.time.toFixed(run.end > 100 ? 1 : 3)}`;
        this.curves.at(state.time);
        if (frame === state.frame) return;
        state.frame = frame;
        if (this.scrub) {
            this.scrub.value = frame;
            this.scrub.setAttribute("aria-valuetext", `t = ${short(run.times[frame])}`);
        }
        if (this.view) this.view.show(frame);
        this.tables();
    }

    play(on) {
        const { run, state } = this;
        if (!this.scrub) return;
        if (on && state.time >= run.end) this.seek(run.start);
        state.playing = on && run.count > 1;
        $("play").textContent = state.playing ? "\u2016" : "\u25B6";
        $("play").setAttribute("aria-pressed", state.playing);
        state.last = performance.now();
        $("status").textContent = state.playing ? "playing" : `paused at t = ${short(state.time)}`;
    }

    step(by) {
        this.play(false);
        this.seek(this.run.times[Math.min(Math.max(this.state.frame + by, 0), this.run.count - 1)]);
    }

    tick(now) {
        const { state, run, view } = this;
        if (state.playing) {
            const t = state.time + (state.speed * (now - state.last)) / 1000;
            state.last = now;
            this.seek(t);
            if (t >= run.end) this.play(false);
        }
        if (this.ontick) this.ontick();
        if (view) {
            if (view.controls.enabled) view.controls.update();
            if (this.recorder) view.draw();
            else view.refresh();
        }
    }

    // ---- tables

    makeTables() {
        if (this.run.kind === "curves" || this.run.kind === "instant") return;
        for (const [name, open] of this.run.answers ? [["bodies", false]] : [["contacts", true], ["bodies", false]]) {
            const box = element("details", null, $("tables"));
            element("summary", "", box, { id: `${name}-title` });
            element("table", null, box, { id: `${name}-table` });
            box.open = open;
            box.ontoggle = () => this.tables();
        }
    }

    tables() {
        const { run, state } = this;
        if (run.kind === "curves" || run.kind === "instant" || state.frame < 0) return;
        const [from, to] = run.contacts ? run.contactRange(state.frame) : [0, 0], most = 200, place = [0, 0, 0, 0, 0, 0, 0];
        const contacts = [], bodies = [], count = run.kind === "grains" ? run.grains.count : run.bodies.length;
        for (let row = from; row < Math.min(to, from + most); row++) {
            const c = run.contact(row);
            contacts.push([run.nameOf(c.a), run.nameOf(c.b), c.mode, c.normal, c.friction, c.mu, c.used ?? ""]);
        }
        for (let k = 0; k < Math.min(count, most); k++) {
            const p = run.place(state.frame, k, place);
            bodies.push([run.nameOf(k), p[0], p[1], ...(run.dim === 3 ? [p[2]] : [])]);
        }
        if (!run.answers) $("contacts-title").textContent = `contacts (${to - from}${to - from > most ? `, the first ${most}` : ""})`;
        $("bodies-title").textContent = `bodies (${count}${count > most ? `, the first ${most}` : ""})`;
        if (!run.answers) $("counts").textContent = `${to - from} contact${to - from === 1 ? "" : "s"}`;
        if ($("contacts-table")?.parentElement.open) fill($("contacts-table"), ["on", "from", "mode", "normal", "friction", "\u03BC", "of its cone"], contacts);
        if ($("bodies-table").parentElement.open) fill($("bodies-table"), ["name", "x", "y", ...(run.dim === 3 ? ["z"] : [])], bodies);
    }

    // What the run says of itself (summary.json).
    checks(box) {
        let s;
        try {
            s = JSON.parse(this.run.summary);
        } catch {
            return;
        }
        if (s === null || typeof s !== "object") return;
        this.run.description ||= typeof s.description === "string" ? s.description : "";
        this.describe();
        const details = element("details", null, box, { id: "checks" }), rows = [];
        details.open = true;
        element("summary", "what was checked", details);
        const add = (what, value) => { if (value !== undefined && value !== null) rows.push([what, typeof value === "number" ? short(value) : String(value)]); };
        add("steps", s.steps);
        add("not solved", s.unsolved_steps);
        add("worst residual", s.residual);
        add("tolerance", s.tol);
        add("deepest overlap", s.penetration);
        add("momentum that is missing", s.momentum);
        add("impulses outside of cones", s.cone_violation);
        add("ended", s.why || s.outcome);
        const checks = s.check && Array.isArray(s.check.checks) ? s.check.checks : [];
        if (s.check && checks.length === 0) add("checked by code of its own", s.check.accepted ? "every step holds" : "it does not hold");
        const found = (c) => (typeof c.worst !== "number" ? "" : typeof c.limit === "number" && c.limit > 0 ? `${short(c.worst)} \u2264 ${short(c.limit)}` : short(c.worst));
        for (const c of checks) if (c.looked > 0) rows.push([String(c.text), c.holds === false ? `FAILS: ${short(c.worst)}` : found(c)]);
        if (checks.length > 0) rows.push(["all of this, by code of its own", s.check.accepted ? "holds" : "does not hold"]);
        fill(element("table", null, details), ["", ""], rows);
    }

    transcript(side) {
        const box = element("details", null, side, { id: "transcript" });
        element("summary", "what was proved", box);
        element("pre", this.extra.text, box, { tabindex: "0" });
        box.open = true;
    }

    // What the keyboard does, for those who look for it.
    keys(side) {
        const { run, view } = this, box = element("details", null, side, { id: "keys" }), rows = [];
        element("summary", "keys", box);
        if (run.live) rows.push(["space", "run or pause"], ["S", "one step"], ["A", "pause and ask"]);
        else if (!run.answers) rows.push(["space", "play or pause"]);
        if (!run.answers) rows.push(["\u2190 \u2192", "one frame back, one on"], ["[ ]", "slower, faster"]);
        if (view) {
            rows.push(["shift and arrows", view.flat ? "shift the view" : "turn the view"], ["+ \u2212", "nearer, farther"], ["Home", "the view as it was"]);
            rows.push(...[["F", "forces"], ["C", "cones"], ["V", "vessel"], ["T", "trails"]].filter(([, id]) => $(id)).map(([key, id]) => [key, `${id}, or none`]));
            rows.push(["P", "save a picture"], ["R", "record a video"]);
        }
        fill(element("table", null, box), ["", ""], [...rows, ["D", "light or dark"]]);
    }

    // ---- pictures and video

    savePicture() {
        this.view.draw();
        download(this.view.canvas.toDataURL("image/png"), "stiction.png");
    }

    toggleVideo() {
        if (this.recorder) return this.recorder.stop();
        const parts = [], recorder = new MediaRecorder(this.view.canvas.captureStream(30), { mimeType: "video/webm" });
        this.recorder = recorder;
        recorder.ondataavailable = (e) => parts.push(e.data);
        recorder.onstop = () => { this.recorder = null; $("video")?.classList.remove("on"); download(URL.createObjectURL(new Blob(parts, { type: "video/webm" })), "stiction.webm"); };
        recorder.start();
        $("video").classList.add("on");
        this.play(true);
    }

    // ---- light and dark, keys

    theme(on) {
        dark = on;
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        if (this.view) this.view.background(dark ? 0x14181d : 0xf7f8fa);
        this.curves.draw();
        this.curves.at(this.state.time);
    }

    slower(by) {
        const s = $("speed");
        s.selectedIndex = Math.min(Math.max(s.selectedIndex + by, 0), s.options.length - 1);
        s.onchange();
    }

    key(e) {
        const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName), onButton = /^(BUTTON|SUMMARY)$/.test(e.target.tagName);
        if (e.ctrlKey || e.metaKey || e.altKey || inField || (onButton && e.key === " ")) return;
        const press = (id) => () => $(id)?.click(), live = this.run.live, { view } = this;
        const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
        const zooms = { "+": 1.15, "=": 1.15, "-": 1 / 1.15 };
        if (view && ((e.shiftKey && turns[e.key]) || zooms[e.key])) {
            if (zooms[e.key]) view.nearer(zooms[e.key]);
            else view.turn(...turns[e.key]);
            e.preventDefault();
            return;
        }
        const keys = { " ": press(live ? "go" : "play"), s: press("one"), a: press("ask"), ArrowLeft: press("back"), ArrowRight: press("forth"), Home: press("home"), f: press("forces"), c: press("cones"),
            v: press("vessel"), t: press("trails"), d: press("theme"), p: press("picture"), r: press("video"), "[": () => this.slower(-1), "]": () => this.slower(1) };
        const action = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
        if (action) { action(); e.preventDefault(); }
    }
}
