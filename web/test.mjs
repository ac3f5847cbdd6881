// test.mjs CHROMIUM PAGE.html EXPECTED.json [PICTURE.png]: opens a page from disk and holds what it shows against what is expected.
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [chromium, page, expected, picture] = process.argv.slice(2);
const want = JSON.parse(readFileSync(expected, "utf8"));
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, pipe: true,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"] });
try {
    const tab = await browser.newPage(), faults = [], asked = [];
    await tab.setViewport({ width: 1280, height: 800 });
    tab.on("pageerror", (e) => faults.push(e.message));
    tab.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForFunction("window.stiction !== undefined", { timeout: 30000 });
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
        document.getElementById("video").click();
        await wait(1500);
        document.getElementById("video").click();
        for (let k = 0; k < 50 && blobs.length === 0; k++) await wait(100);
        return { blobs, links };
    });
    // Each run of the page by its tab: bodies in its scene graph.
    const tabs = await tab.evaluate((n) => Array.from({ length: n }, (_, k) => { window.stiction.open(k); return window.stiction.census()?.bodies; }), (want.tabs ?? []).length);
    if (picture) await tab.screenshot({ path: picture });
    assert.deepEqual(faults, [], "errors in the page");
    assert.deepEqual(asked, [], "the page asked a network");
    if (want.bodies !== undefined) assert.equal(seen.census.bodies, want.bodies, "bodies in the scene graph");
    if (want.contacts !== undefined) assert.equal(seen.census.contacts, want.contacts, "contacts at that time");
    for (const [name, values] of Object.entries(want.series ?? {})) assert.deepEqual(seen.series[name], values, `curve ${name}`);
    if (saved) {
        assert.ok(saved.links[0].lead === "data:image/png;base64," && saved.links[0].size > 5000, `a picture: ${JSON.stringify(saved)}`);
        assert.ok(saved.blobs.length === 1 && saved.blobs[0].type === "video/webm" && saved.blobs[0].size > 500, `a video: ${JSON.stringify(saved)}`);
    }
    if (want.answers) assert.deepEqual(seen.answers, want.answers, "answers");
    if (want.drawn !== undefined) assert.equal(seen.census.answers, want.drawn, "contacts of the answer in the scene graph");
    if (want.moving !== undefined) assert.equal(seen.moving, want.moving, "bodies that show a motion");
    assert.deepEqual(tabs, want.tabs ?? [], "bodies of each run");
    assert.ok(seen.playing, "plays");
    assert.equal(seen.images, 0, "a name became a picture");
    assert.equal(seen.hacked, false, "a name became a script");
    assert.equal(seen.unlabelled, 0, "controls without a label");
    for (const text of want.texts ?? []) assert.ok(seen.text.includes(text), `${text} is shown as text`);
    console.log(`${page}: frame ${seen.now}, ${JSON.stringify(seen.census)}, started in ${seen.startup.toFixed(0)} ms`);
} finally {
    await browser.close();
}
