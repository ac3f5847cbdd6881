// measure.mjs CHROMIUM PAGE.html...: how long a page takes to start, frames drawn in a second while it plays, memory of
// its process. In a headless browser WebGL is drawn by software. CPU seconds of all its processes beside the clock, for
// a machine with other work.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

// CPU seconds and bytes of a process and all that it started.
function used(root) {
    const all = readdirSync("/proc").filter((n) => /^[0-9]+$/.test(n)).flatMap((pid) => {
        try {
            const f = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
            const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/^Pss: +([0-9]+)/m);
            return [{ pid: Number(pid), parent: Number(f[1]), cpu: (Number(f[11]) + Number(f[12])) / 100, pss: 1024 * Number(rollup?.[1] ?? 0) }];
        } catch {
            return [];
        }
    });
    const mine = new Set([root]);
    for (let k = 0; k < 6; k++) for (const p of all) if (mine.has(p.parent)) mine.add(p.pid);
    return all.filter((p) => mine.has(p.pid)).reduce((sum, p) => ({ cpu: sum.cpu + p.cpu, pss: sum.pss + p.pss }), { cpu: 0, pss: 0 });
}

const [chromium, ...pages] = process.argv.slice(2);
for (const page of pages) {
    const browser = await puppeteer.launch({ executablePath: chromium, headless: true, pipe: true, protocolTimeout: 300000,
        args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"] });
    try {
        const tab = await browser.newPage();
        await tab.setViewport({ width: 1280, height: 800 });
        const began = performance.now(), idle = used(browser.process().pid).cpu;
        await tab.goto(pathToFileURL(page).href, { timeout: 120000 });
        await tab.waitForFunction("window.stiction !== undefined", { timeout: 120000 });
        const shown = performance.now() - began, started = used(browser.process().pid).cpu - idle, before = used(browser.process().pid).cpu;
        const seen = await tab.evaluate(() => new Promise((resolve) => {
            const { state, run } = window.stiction, view = window.stiction.view, began = performance.now();
            let frames = 0, at = 0;
            const count = () => {
                at = (at + 1) % run.count; // every frame moves everything
                view.show(at);
                view.draw();
                view.renderer.getContext().finish();
                frames++;
                if (performance.now() - began < 5000) requestAnimationFrame(count);
                else resolve({ frames, fps: (1000 * frames) / (performance.now() - began), heap: performance.memory.usedJSHeapSize, bodies: window.stiction.census().bodies, startup: window.stiction.startup_ms, state: state.frame });
            };
            requestAnimationFrame(count);
        }));
        const after = used(browser.process().pid);
        console.log(`| ${seen.bodies} | ${(statSync(page).size / 1e6).toFixed(1)} | ${started.toFixed(1)} | ${(shown / 1000).toFixed(1)} | ${((after.cpu - before) / seen.frames).toFixed(2)} | ${seen.fps.toFixed(1)} | ${(after.pss / 1e6).toFixed(0)} |`);
    } finally {
        await browser.close();
    }
}
