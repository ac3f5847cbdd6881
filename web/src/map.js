// map.js: a map of cases over two axes, to hover over: what stiction analyze painleve --page writes.
import { $, element, button, short } from "./dom.js";

const COLORS = ["#d5e8d4", "#9fc5a8", "#f4d58d", "#d1495b", "#bbbbbb", "#ffffff"];
const ROOM = { left: 62, right: 28, top: 12, bottom: 46 };

export class MapPage {
    constructor(run) {
        Object.assign(this, { run, view: null, state: { frame: 0, time: 0, playing: false }, i: 0, j: 0 });
        document.title = `${run.title} \u2013 Stiction`;
        for (const e of [...document.body.children]) if (e.tagName !== "SCRIPT") e.remove();
        const top = element("header", null, document.body);
        element("h1", run.title, top);
        element("p", run.description, top, { class: "description" });
        button(element("div", null, top, { class: "tools", role: "toolbar", "aria-label": "View" }), "theme", "light / dark", "Light or dark (D)", () => this.theme());
        const main = element("main", null, document.body, { class: "curves-only" });
        const box = element("section", null, main, { id: "map", "aria-label": "The map" });
        this.canvas = element("canvas", null, box, { id: "canvas", tabindex: "0", role: "application", "aria-label": `${run.title}: map; arrows move the place that is read out` });
        const legend = element("div", null, box, { class: "legend", "aria-label": "Colours" });
        run.cases.forEach((text, k) => {
            if (!run.classes.includes(k)) return;
            const line = element("span", null, legend);
            element("i", "", line).style.background = COLORS[k];
            line.append(text);
        });
        element("p", "", document.body, { id: "readout", role: "status", "aria-live": "polite" });
        this.canvas.onpointermove = (e) => this.hover(e);
        this.onkey = (e) => this.key(e);
        this.onsize = () => this.draw();
        window.addEventListener("keydown", this.onkey);
        window.addEventListener("resize", this.onsize);
        if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";
        this.read(run.axes[0].count >> 1, run.axes[1].count >> 1);
    }

    close() {
        window.removeEventListener("keydown", this.onkey);
        window.removeEventListener("resize", this.onsize);
    }

    seek() {}

    play() {}

    theme() {
        const root = document.documentElement;
        root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
        this.draw();
    }

    at(axis, k) {
        const a = this.run.axes[axis];
        return a.count === 1 ? a.low : a.low + ((a.high - a.low) * k) / (a.count - 1);
    }

    cell(i, j) {
        const k = j * this.run.axes[0].count + i;
        return { outcome: this.run.cases[this.run.classes[k]], mu_c: this.run.mu_c[k] };
    }

    read(i, j) {
        const [a, b] = this.run.axes, bound = (k, n) => Math.min(Math.max(k, 0), n - 1);
        this.i = bound(i, a.count);
        this.j = bound(j, b.count);
        const cell = this.cell(this.i, this.j), places = [`${a.name} = ${short(this.at(0, this.i))}`];
        if (b.count > 1) places.push(`${b.name} = ${short(this.at(1, this.j))}`);
        $("readout").textContent = `${places.join(", ")}: ${cell.outcome}${cell.mu_c >= 0 ? `; critical friction ${short(cell.mu_c)}` : ""}`;
        this.draw();
    }

    hover(e) {
        const box = this.canvas.getBoundingClientRect(), [a, b] = this.run.axes;
        const u = (e.clientX - box.left - ROOM.left) / (box.width - ROOM.left - ROOM.right), v = (box.bottom - ROOM.bottom - e.clientY) / (box.height - ROOM.top - ROOM.bottom);
        this.read(Math.floor(u * a.count), Math.floor(v * b.count));
    }

    key(e) {
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[e.key];
        if (by) { this.read(this.i + by[0], this.j + by[1]); e.preventDefault(); }
        if (e.key === "d") this.theme();
    }

    draw() {
        const { canvas, run } = this, scale = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect(), pen = canvas.getContext("2d"), [a, b] = run.axes;
        canvas.width = box.width * scale;
        canvas.height = box.height * scale;
        pen.scale(scale, scale);
        const w = box.width - ROOM.left - ROOM.right, h = box.height - ROOM.top - ROOM.bottom, ink = getComputedStyle(document.body).getPropertyValue("--ink");
        const x = (i) => ROOM.left + (w * i) / a.count, y = (j) => ROOM.top + h - (h * j) / b.count;
        for (let j = 0; j < b.count; j++) for (let i = 0; i < a.count; i++) {
            pen.fillStyle = COLORS[run.classes[j * a.count + i]];
            pen.fillRect(x(i), y(j + 1), w / a.count + 0.6, h / b.count + 0.6);
        }
        pen.fillStyle = pen.strokeStyle = ink;
        pen.font = "12px system-ui, sans-serif";
        pen.textAlign = "center";
        for (let k = 0; k <= 5; k++) pen.fillText(short(a.low + ((a.high - a.low) * k) / 5), ROOM.left + (w * k) / 5, ROOM.top + h + 16);
        pen.fillText(a.name, ROOM.left + w / 2, ROOM.top + h + 36);
        pen.textAlign = "right";
        for (let k = 0; b.count > 1 && k <= 5; k++) pen.fillText(short(b.low + ((b.high - b.low) * k) / 5), ROOM.left - 6, ROOM.top + h - (h * k) / 5 + 4);
        if (b.count > 1) { pen.textAlign = "left"; pen.fillText(b.name, 4, ROOM.top + h / 2 - 12); }
        pen.strokeRect(ROOM.left, ROOM.top, w, h);
        pen.lineWidth = 2;
        pen.strokeRect(x(this.i), y(this.j + 1), Math.max(w / a.count, 6), Math.max(h / b.count, 6));
    }
}
