// test.mjs CHROMIUM NAME...: opens NAME.html from disk and holds what it shows against NAME.want (JSON); with
// PICTURES=DIR in the environment DIR/NAME.png is what it looked like. One browser for all.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

async function look(tab, name) {
    const want = JSON.parse(readFileSync(`${name}.want`, "utf8")), faults = [], asked = [];
    await tab.setViewport({ width: 1280, height: 800 });
    tab.on("pageerror", (e) => faults.push(e.message));
    tab.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
    await tab.goto(pathToFileURL(`${name}.html`).href);
    await tab.waitForFunction("window.stiction !== undefined", { timeout: 30000 }).catch(() => { throw new Error(`not shown: ${faults.join("; ")}`); });
    const seen = await tab.evaluate((w) => {
        const s = window.stiction;
        s.seek(w.time);
        const now = s.state.frame, census = s.census();
        const series = Object.fromEntries(s.run.series.map((one) => [one.name, Array.from(one.values)]));
        document.getElementById("play")?.click();
        const playing = s.state.playing || s.run.kind === "map" || s.run.answers !== undefined;
        document.getElementById("play")?.click();
        return { now, census, series, playing, title: document.querySelector("h1").textContent, text: document.body.textContent,
                 answers: [...document.querySelectorAll("[data-question]")].map((e) => ({ question: e.dataset.question, verdict: e.querySelector(".verdict").textContent,
                     rows: e.querySelectorAll("tbody tr").length })), moving: s.view?.marks?.motion?.length ?? 0,
                 images: document.images.length, hacked: window.hacked === 1, startup: s.startup_ms,
                 unlabelled: [...document.querySelectorAll("button, input, select")].filter((e) => !e.ariaLabel && !e.closest("label")).length };
    }, want);
    // A picture and a video, as they would be saved.
    const saved = !want.video ? null : await tab.evaluate(async () => {
        const blobs = [], links = [], wait = (ms) => new Promise((r) => setTimeout(r, ms));
        URL.createObjectURL = (b) => { blobs.push({ type: b.type, size: b.size }); return "blob:none"; };
        HTMLAnchorElement.prototype.click = function () { links.push({ name: this.download, lead: this.href.slice(0, 22), size: this.href.length }); };
        document.getElementById("picture").click();
        for (let ms = 1000; ms < 20000 && !blobs.some((b) => b.size > 500); ms *= 2) { // a busy machine needs longer for a frame
            const before = blobs.length;
            document.getElementById("video").click();
            await wait(ms);
            document.getElementById("video").click();
            for (let k = 0; k < 50 && blobs.length === before; k++) await wait(100);
        }
        return { blobs, links };
    });
    // Each run of the page by its tab: bodies in its scene graph.
    const tabs = await tab.evaluate((n) => Array.from({ length: n }, (_, k) => { window.stiction.open(k); return window.stiction.census()?.bodies; }), (want.tabs ?? []).length);
    if (process.env.PICTURES) await tab.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
    const still = await stands(tab), narrow = await shrinks(tab);
    assert.deepEqual(faults, [], "errors in the page");
    assert.deepEqual(asked, [], "the page asked a network");
    if (want.bodies !== undefined) assert.equal(seen.census.bodies, want.bodies, "bodies in the scene graph");
    if (want.contacts !== undefined) assert.equal(seen.census.contacts, want.contacts, "contacts at that time");
    for (const [name, values] of Object.entries(want.series ?? {})) assert.deepEqual(seen.series[name], values, `curve ${name}`);
    if (saved) {
        assert.ok(saved.links[0].lead === "data:image/png;base64," && saved.links[0].size > 5000, `a picture: ${JSON.stringify(saved)}`);
        assert.ok(saved.blobs.at(-1)?.type === "video/webm" && saved.blobs.at(-1).size > 500, `a video: ${JSON.stringify(saved)}`);
    }
    if (want.answers) assert.deepEqual(seen.answers, want.answers, "answers");
    if (want.drawn !== undefined) assert.equal(seen.census.answers, want.drawn, "contacts of the answer in the scene graph");
    if (want.moving !== undefined) assert.equal(seen.moving, want.moving, "bodies that show a motion");
    assert.deepEqual(tabs, want.tabs ?? [], "bodies of each run");
    assert.ok(seen.playing, "plays");
    assert.equal(seen.images, 0, "a name became a picture");
    assert.equal(seen.hacked, false, "a name became a script");
    assert.equal(seen.unlabelled, 0, "controls without a label");
    assert.deepEqual(still, { drawn: 0, turned: still.view, nearer: still.view, view: still.view }, `it is drawn when something moves, and keys move the view: ${JSON.stringify(still)}`);
    assert.deepEqual(narrow, { wide: false, high: false, hidden: [] }, `a window of 400 pixels shows everything: ${JSON.stringify(narrow)}`);
    for (const text of want.texts ?? []) assert.ok(seen.text.includes(text), `${text} is shown as text`);
    console.log(`${name}: frame ${seen.now}, ${JSON.stringify(seen.census)}, started in ${seen.startup.toFixed(0)} ms`);
}

// A page that stands still draws nothing; shift and arrows turn its view, + goes nearer.
async function stands(tab) {
    const moves = await tab.evaluate(() => window.stiction.view?.marks?.moves === true);
    await tab.waitForFunction("!window.stiction.view?.stale", { timeout: 30000 });
    await tab.evaluate(() => { const v = window.stiction.view; if (v) { window.drawn = 0; v.draw = ((draw) => () => { window.drawn++; draw.call(v); })(v.draw); } });
    await new Promise((r) => setTimeout(r, 150));
    const at = () => tab.evaluate(() => { const c = window.stiction.view?.camera; return c ? [...c.position.toArray(), c.zoom].join() : ""; });
    const drawn = moves ? 0 : await tab.evaluate("window.drawn ?? 0"), before = await at();
    await tab.keyboard.down("Shift");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.up("Shift");
    const turned = await at();
    await tab.keyboard.press("+");
    return { drawn, turned: turned !== before, nearer: (await at()) !== turned, view: before !== "" };
}

// In a narrow window nothing reaches beyond it, and no control is outside.
async function shrinks(tab) {
    await tab.setViewport({ width: 400, height: 740 });
    await new Promise((r) => setTimeout(r, 100));
    return tab.evaluate(() => {
        const root = document.documentElement, bars = [...document.querySelectorAll("header button, footer button, footer input, footer select, #canvas")];
        return { wide: root.scrollWidth > innerWidth, high: root.scrollHeight > innerHeight,
                 hidden: bars.filter((e) => { const b = e.getBoundingClientRect(); return b.width < 8 || b.right > innerWidth || b.bottom > innerHeight; }).map((e) => e.id) };
    });
}

const [chromium, ...names] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, pipe: true,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"] });
try {
    for (const name of names) {
        const tab = await browser.newPage(); // the one in front: others get no frames
        try {
            await look(tab, name);
        } catch (error) {
            console.error(`FAIL: ${name}.html in Chromium: ${error.stack}`);
            process.exitCode = 1;
        }
        await tab.close();
    }
} finally {
    await browser.close();
}
