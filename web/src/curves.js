// curves.js: curves over time, linked to the time line.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element, short, tick } from "./dom.js";

const INK = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

// Of a logarithmic axis: powers of ten, so many that their labels do not meet.
function decades(splits) {
    const powers = splits.filter((v) => v > 0 && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
    const every = Math.max(1, Math.ceil(powers.length / 5));
    const kept = new Set(powers.filter((v) => Math.round(Math.log10(v)) % every === 0));
    return splits.map((v) => (kept.has(v) ? v : null));
}

// A curve of which there is nothing to see says so: zeros have no logarithm, gaps between nothing no size.
function title(group, data) {
    const none = data.slice(1).every((values) => values.every((v) => v === null || v === undefined || !Number.isFinite(v)));
    return none ? `${group.title}: ${group.log ? "0 throughout" : "none"}` : group.title;
}

export class Curves {
    constructor(box, run, seek) {
        Object.assign(this, { box, run, seek, plots: [], drawn: -1 });
    }

    data(group) {
        const series = group.names.map((name) => this.run.series.find((s) => s.name === name));
        return [this.run.curve_time, ...series.map((s) => (group.log ? Array.from(s.values, (v) => (v > 0 ? v : null)) : s.values))];
    }

    draw() {
        const { box, run } = this, width = Math.max(box.clientWidth - 8, 200), style = getComputedStyle(document.body);
        for (const p of this.plots) p.destroy();
        this.plots = [];
        box.textContent = "";
        if (!run.groups || run.groups.length === 0) return;
        this.drawn = run.curve_time.length;
        if (run.live && this.drawn === 0) { element("p", "Curves begin with the first step.", box, { class: "soft" }); return; }
        const choose = element("details", null, box, { class: "choose" });
        element("summary", "curves", choose);
        const ink = style.getPropertyValue("--ink"), line = { stroke: style.getPropertyValue("--line"), width: 1 };
        for (const group of run.groups) {
            const label = element("label", null, choose), mark = element("input", null, label, { type: "checkbox" });
            mark.checked = group.shown;
            mark.onchange = () => { group.shown = mark.checked; this.draw(); box.querySelector("details").open = true; };
            label.append(group.title);
            if (group.shown) this.plots.push(this.plot(group, width, ink, line));
        }
    }

    plot(group, width, ink, line) {
        const { run } = this, axis = { stroke: ink, grid: line, ticks: line, font: "11px system-ui, sans-serif" };
        const filter = group.log ? { filter: (_, splits) => decades(splits), grid: { ...line, filter: (_, s) => decades(s) }, ticks: { ...line, filter: (_, s) => decades(s) } } : {};
        const value = (_, v) => (v === null || v === undefined ? "" : short(v)), data = this.data(group);
        const plot = new uPlot({
            title: title(group, data), width, height: run.kind === "curves" ? 230 : 150, scales: { x: { time: false }, y: { distr: group.log ? 3 : 1 } },
            cursor: { drag: { x: false, y: false } }, legend: { live: true }, hooks: { draw: [(u) => this.place(u)] },
            axes: [{ ...axis, size: 30 }, { ...axis, size: 64, ...filter, values: (_, ticks) => ticks.map(tick) }],
            series: [{ label: "t", value }, ...group.names.map((name, i) => ({ label: name, stroke: INK[i % INK.length], width: 1.6, value, points: { show: false } }))],
        }, data, this.box);
        plot.group = group;
        plot.mark = element("div", null, plot.over, { class: "mark" });
        plot.over.addEventListener("pointerdown", (e) => this.seek(plot.posToVal(e.offsetX, "x")));
        plot.over.addEventListener("pointermove", (e) => { if (e.buttons === 1) this.seek(plot.posToVal(e.offsetX, "x")); });
        return plot;
    }

    // Rows came in (a live run).
    grow() {
        if (this.run.curve_time.length === this.drawn) return;
        if (this.drawn === 0) return this.draw();
        this.drawn = this.run.curve_time.length;
        for (const p of this.plots) {
            const data = this.data(p.group);
            p.setData(data);
            p.root.querySelector(".u-title").textContent = title(p.group, data);
        }
    }

    // After rows came in the axis is another one only when it is drawn again.
    place(p) {
        if (p.mark) p.mark.style.left = `${Math.max(p.valToPos(this.time ?? 0, "x"), 0)}px`; // before the first step: at its side
    }

    at(time) {
        this.time = time;
        for (const p of this.plots) {
            this.place(p);
            if (!p.over.matches(":hover")) p.setLegend({ idx: p.valToIdx(time) }, false);
        }
    }
}
