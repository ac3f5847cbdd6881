// live.js: the page of stiction serve: a socket to the command, a run that grows, and what can be asked of it.
import { Run, unpack } from "./data.js";
import { Answers } from "./answers.js";
import { $, element, button } from "./dom.js";

const KEPT = 1500, KEPT_BYTES = 3e8; // frames that can be gone back to
const QUESTIONS = ["instant", "sticking", "modes", "closure", "impact"];
const OF_BODIES = ["kinetic", "potential", "residual", "contacts"];
const NO_CONTACTS = { data: new Float32Array(0), pair: new Int32Array(0), mode: new Uint8Array(0) };

// A run whose frames come one by one; what a page of a recorded run asks, it answers.
class LiveRun extends Run {
    constructor(json) {
        super(json);
        this.live = true;
        const f = this.frames, c = this.contacts, first = (k) => (f.contact_end && k > 0 ? f.contact_end[k - 1] : 0);
        this.steps = Array.from(this.times, (time, k) => {
            const from = first(k), to = f.contact_end ? f.contact_end[k] : 0;
            return { time, ...this.placesOf(k), ...(c ? { data: c.data.subarray(10 * from, 10 * to), pair: c.pair.subarray(2 * from, 2 * to), mode: c.mode.subarray(from, to) } : NO_CONTACTS) };
        });
        if (this.steps.length === 0) this.steps.push({ time: 0, ...NO_CONTACTS });
        this.looked = this.steps[0];
        this.curve_time = [];
        this.series = (this.names ?? OF_BODIES).map((name) => ({ name, values: [] }));
        if (!this.names) this.groups = [{ title: "energy", names: ["kinetic", "potential"], shown: true, log: false }, { title: "residual of each step", names: ["residual"], shown: true, log: true },
            { title: "contacts", names: ["contacts"], shown: false, log: false }];
        else this.groups = this.groupsOf(this.names);
        const step = this.steps[0], bytes = 4 * ((step.pose?.length ?? 0) + (step.x?.length ?? 0)) + 1;
        this.kept = Math.max(60, Math.min(KEPT, Math.floor(KEPT_BYTES / bytes)));
        this.measure();
    }

    // Of the first frames, as they are packed.
    placesOf(k) {
        const f = this.frames;
        if (f.pose) return { pose: f.pose.subarray(7 * this.bodies.length * k, 7 * this.bodies.length * (k + 1)) };
        if (!f.x) return {};
        const n = 3 * this.grains.count, x = new Float32Array(n);
        for (let i = 0; i < n; i++) x[i] = f.low[i % 3] + (f.x[n * k + i] / 65535) * f.size[i % 3];
        return { x };
    }

    groupsOf(names) {
        const known = [["energy", ["kinetic", "potential"], true, false], ["residual of each step", ["residual"], true, true], ["contacts", ["contacts"], false, false],
            ["penetration", ["penetration"], false, false], ["least gap", ["least_gap"], true, false], ["dissipation of each step", ["dissipation"], true, false]];
        const groups = known.filter(([, of]) => of.every((n) => names.includes(n))).map(([title, of, shown, log]) => ({ title, names: of, shown, log }));
        const rest = names.filter((n) => !known.some(([, of]) => of.includes(n)));
        return rest.length > 0 ? [{ title: "coordinates", names: rest.slice(0, 6), shown: true, log: false }, ...groups] : groups;
    }

    measure() {
        this.times = this.steps.map((s) => s.time);
        this.count = this.times.length;
        this.start = this.times[0];
        this.end = this.times[this.count - 1];
    }

    add(message) {
        const step = unpack(message), again = this.count > 0 && step.time <= this.end;
        if (again) this.steps.pop();
        this.steps.push(step);
        const dropped = this.steps.length > this.kept ? this.steps.splice(0, Math.floor(this.kept / 3)).length : 0;
        this.measure();
        if (!again) {
            this.curve_time.push(step.time);
            this.series.forEach((s, k) => s.values.push(step.values ? step.values[k] : s.name === "contacts" ? step.mode.length : step[s.name]));
        }
        return dropped;
    }

    place(frame, k, out) {
        const { pose, x } = this.steps[frame];
        for (let i = 0; i < (pose ? 7 : 3); i++) out[i] = pose ? pose[7 * k + i] : x[3 * k + i];
        return out;
    }

    grainPlaces(frame) {
        return this.steps[frame].x;
    }

    contactRange(frame) {
        this.looked = this.steps[frame];
        return [0, this.looked.mode.length];
    }

    contact(row) {
        return this.contactOf(this.looked.data, this.looked.pair, this.looked.mode, row);
    }

    largestForce() {
        let most = 0;
        for (const s of this.steps.slice(-60)) for (let k = 0; k < s.mode.length; k++) most = Math.max(most, Math.hypot(s.data[10 * k + 6], s.data[10 * k + 7], s.data[10 * k + 8]));
        return most;
    }
}

class Live {
    constructor(path, show) {
        this.show = show;
        this.page = null;
        this.number = -1;
        this.scenes = [];
        this.running = this.asking = false;
        this.selected = -1;
        this.answers = [];
        this.log = [];
        this.socket = new WebSocket(`ws://${location.host}${path}`);
        this.socket.onopen = () => this.send("hello");
        this.socket.onclose = () => { this.running = false; this.tell("The connection is closed. Start stiction serve again.", "error"); };
        this.socket.onmessage = (e) => this.take(JSON.parse(e.data));
        element("p", "Connecting ...", document.body, { id: "waiting" });
        window.stiction = Object.assign(window.stiction || {}, { live: this });
    }

    send(...parts) {
        if (this.socket.readyState === WebSocket.OPEN) this.socket.send(parts.join("\n"));
    }

    take(m) {
        const takers = {
            list: () => { this.scenes = m.scenes; this.saves = m.saves; if (!this.page) this.welcome(); },
            scene: () => this.open(m),
            frame: () => this.frame(m),
            state: () => { Object.assign(this, { running: m.running, asking: m.asking, speed: m.speed }); this.controls(m.speed); },
            answer: () => { this.answers.push(m); this.showAnswers(); },
            asking: () => this.progress(m),
        };
        if (takers[m.type]) takers[m.type]();
        else this.tell(m.text, m.type);
    }

    tell(text, type) {
        this.log.push(`${type}: ${text}`);
        const box = $("told") || element("p", "", document.body, { id: "told", role: "status", "aria-live": "polite" });
        box.textContent = text;
        box.className = type === "error" ? "bad" : "";
    }

    // ---- scenes

    chooser(parent) {
        const box = element("div", null, parent, { class: "row" });
        const select = element("select", null, box, { id: "scene", "aria-label": "Scene" });
        for (const name of this.scenes) element("option", name, select, { value: name });
        if (this.page) select.value = this.page.run.title;
        button(box, "open", "open", "Open the scene with these parameters", () => this.openChosen());
    }

    welcome() {
        $("waiting")?.remove();
        const box = element("main", null, document.body, { id: "welcome" });
        element("h1", "Stiction", box);
        element("p", "Choose a scene.", box);
        this.chooser(box);
    }

    openChosen() {
        const name = $("scene").value, same = this.page && name === this.page.run.title;
        const settings = same ? [...document.querySelectorAll("[data-parameter]")].filter((i) => i.value !== i.defaultValue).map((i) => `${i.dataset.parameter}=${i.value}`) : [];
        this.send("scene", name, settings.join(","));
    }

    open(m) {
        if (m.number === this.number && this.page) return;
        this.number = m.number;
        this.selected = -1;
        this.answers = [];
        const run = new LiveRun(m.run ?? { ...m.runs[0], ...m.about });
        this.page = this.show(run, {});
        this.page.ontick = () => { if (this.grown) { this.grown = false; this.page.curves.grow(); this.page.curves.at(this.page.state.time); } };
        document.querySelector("main").classList.add("live");
        this.page.onsize();
        const speed = $("speed"), again = speed.onchange; // of what is played again, and of the scene
        speed.onchange = () => { again(); this.send("speed", speed.value); };
        this.panel();
        this.pulling();
        this.page.seek(run.end);
    }

    frame(m) {
        if (!this.page || m.number !== this.number) return;
        const { run, state, view } = this.page, atEnd = state.frame >= run.count - 1;
        const dropped = run.add(m);
        state.frame = atEnd ? -1 : Math.max(0, state.frame - dropped);
        if (view && (run.kind !== "grains" || run.count % 30 === 0 || view.largest === 0)) view.largest = run.largestForce();
        this.page.scrub.max = run.count - 1;
        if (atEnd || this.running) this.page.seek(run.end);
        if (view && run.kind === "bodies" && run.count % 10 === 0) view.follows();
        this.grown = true;
    }

    // ---- controls

    panel() {
        const box = this.page.side, run = this.page.run;
        this.chooser(box);
        const names = Object.keys(run.parameters || {});
        if (names.length > 0) {
            const details = element("details", null, box, { class: "parameters" });
            element("summary", "parameters (used when it is opened)", details);
            for (const name of names) {
                const label = element("label", null, details);
                label.append(`${name} `);
                const input = element("input", null, label, { type: "text", inputmode: "decimal", size: 9, value: run.parameters[name], "data-parameter": name });
                input.onkeydown = (e) => { if (e.key === "Enter") this.openChosen(); };
            }
        }
        const row = element("div", null, box, { class: "row" });
        button(row, "go", "run", "Run or pause the scene (space)", () => this.send(this.running ? "pause" : "run"));
        button(row, "one", "step", "Make one step (S)", () => { this.forget(); this.send("step"); });
        button(row, "ask", "pause and ask", "Pause, and ask what can happen at this instant (A)", () => this.ask());
        const movable = !run.names; // a scene of bodies
        const friction = element("label", null, movable ? box : null, { class: "row" });
        friction.append("friction of all ");
        const slider = element("input", null, friction, { id: "friction", type: "range", min: 0, max: 1.5, step: 0.01, value: run.parameters?.mu ?? 0.5, "aria-label": "Friction of all contacts" });
        const now = element("output", "as in the scene", friction);
        slider.oninput = () => { now.textContent = slider.value; };
        slider.onchange = () => this.send("friction", slider.value);
        const saving = element("div", null, box, { class: "row" });
        const what = element("select", null, saving, { id: "what", "aria-label": "What is saved" });
        for (const word of ["scene", "run", "problem"]) element("option", word, what, { value: word });
        const name = element("input", null, saving, { id: "name", type: "text", size: 14, placeholder: "name", "aria-label": "Name to save under" });
        button(saving, "save", "save", this.saves ? "Save in the first folder of the command line" : "stiction serve --folder DIR names a place", () => this.send("save", what.value, name.value));
        if (movable) element("p", "Drag a body to pull it; click one to ask what holds it.", box, { class: "soft" });
        element("p", "", box, { id: "told", role: "status", "aria-live": "polite" });
        element("progress", "", box, { id: "asking", max: 1, value: 0, "aria-label": "Progress of the questions" });
        element("div", null, box, { id: "answers" });
        this.controls();
    }

    controls(speed) {
        if (!$("go")) return;
        const select = $("speed"), at = [...select.options].findIndex((o) => Number(o.value) === speed);
        if (at >= 0 && at !== select.selectedIndex) { select.selectedIndex = at; this.page.state.speed = speed; }
        $("go").textContent = this.running ? "pause" : "run";
        $("go").setAttribute("aria-pressed", this.running);
        $("asking").style.visibility = this.asking ? "visible" : "hidden";
        if (this.running && this.answers.length > 0) this.forget();
    }

    // ---- questions

    forget() {
        this.answers = [];
        this.showAnswers();
    }

    ask() {
        this.forget();
        this.send("ask", this.selected);
    }

    progress(m) {
        if (!$("asking")) return;
        $("asking").value = Math.max(QUESTIONS.includes(m.phase) ? 0 : $("asking").value, m.part);
        $("asking").title = m.phase;
    }

    showAnswers() {
        const box = $("answers");
        if (box) new Answers(box, this.page.view).set(this.answers);
    }

    // ---- pulling

    pulling() {
        const { view } = this.page;
        if (!view || this.page.run.names) return;
        const canvas = view.canvas;
        let held = null, last = 0;
        const aim = (e) => view.onPlane(e, held.at);
        canvas.addEventListener("pointerdown", (e) => {
            if (e.button !== 0) return;
            const hit = view.pick(e);
            if (!hit) return;
            held = hit;
            view.controls.enabled = false;
            canvas.setPointerCapture(e.pointerId);
        });
        canvas.addEventListener("pointermove", (e) => {
            if (!held || performance.now() - last < 30) return;
            last = performance.now();
            const to = aim(e);
            held.moved ||= to.distanceTo(held.at) > 0.003 * view.size;
            if (!held.moved) return;
            this.send("pull", held.body, held.grip.toArray().join(" "), to.toArray().join(" "));
            view.showPull(held, to);
        });
        const end = () => {
            if (!held) return;
            if (held.moved) this.send("release");
            else this.select(held.body);
            held = null;
            view.controls.enabled = true;
            view.showPull(null);
        };
        canvas.addEventListener("pointerup", end);
        canvas.addEventListener("pointercancel", end);
    }

    select(body) {
        this.selected = body === this.selected ? -1 : body;
        this.page.view.mark(this.selected);
        this.tell(this.selected < 0 ? "asked: about all bodies" : `asked: what holds ${this.page.run.nameOf(this.selected)}`, "note");
    }
}

export function connect(path, show) {
    return new Live(path, show);
}
