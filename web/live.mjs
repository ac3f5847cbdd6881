// live.mjs CHROMIUM STICTION FOLDER [PICTURE.png]: stiction serve in a browser: run, pull, pause, ask, save; and what
// must do nothing. FOLDER holds a scene whose name is hostile.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import puppeteer from "puppeteer-core";

const [chromium, stiction, folder, picture] = process.argv.slice(2);
const server = spawn(stiction, ["serve", "arch", "--folder", folder, "--answer-limit", "20", "--ground", "--mu", "0.7"], { stdio: ["ignore", "pipe", "inherit"] });
const first = await new Promise((resolve) => server.stdout.once("data", (d) => resolve(String(d).split("\n")[0])));
const address = new URL(first), port = Number(address.port), socketPath = `${address.pathname}socket`;
const over = new Promise((resolve) => server.once("exit", resolve));

const get = (path, host = `127.0.0.1:${port}`) => new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path, headers: { Host: host } }, (r) => { r.resume(); resolve(r.statusCode); }).on("error", () => resolve(0)).end();
});
// The first line that answers an upgrade; "" where the connection is closed without a word.
const upgrade = (path, headers) => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: stiction\r\n${headers}\r\n`));
    let text = "";
    socket.on("data", (d) => { text += d; if (text.includes("\r\n")) { socket.destroy(); resolve(text.split("\r\n")[0]); } });
    socket.on("close", () => resolve(text.split("\r\n")[0]));
    socket.on("error", () => resolve(""));
});

async function knockAtDoors() {
    const own = `Host: 127.0.0.1:${port}\r\n`, origin = `Origin: http://127.0.0.1:${port}\r\n`, wrong = socketPath.replace(/[0-9a-f]{32}/, "0".repeat(32));
    for (const path of ["/", "/index.html", wrong.replace("socket", ""), `${address.pathname}../../etc/passwd`, "/../../etc/passwd", `${address.pathname}%2e%2e/%2e%2e/etc/passwd`])
        assert.ok([0, 403, 404].includes(await get(path)), `GET ${path}`);
    assert.equal(await get(address.pathname), 200, "the page itself");
    assert.equal(await get(address.pathname, "evil.example"), 403, "under the name of another");
    assert.match(await upgrade(socketPath, own + origin), /101/, "the socket itself");
    assert.doesNotMatch(await upgrade(wrong, own + origin), /101/, "a wrong token");
    assert.doesNotMatch(await upgrade(socketPath, `${own}Origin: http://evil.example\r\n`), /101/, "a foreign origin");
    assert.doesNotMatch(await upgrade(socketPath, own), /101/, "no origin");
    assert.doesNotMatch(await upgrade(socketPath, `Host: evil.example\r\n${origin}`), /101/, "a foreign host");
}

const browser = await puppeteer.launch({ executablePath: chromium, headless: true, pipe: true,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"] });
try {
    await knockAtDoors();
    const tab = await browser.newPage(), faults = [];
    await tab.setViewport({ width: 1280, height: 900 });
    tab.on("pageerror", (e) => faults.push(e.message));
    await tab.goto(first);
    const until = (what, text) => tab.waitForFunction(what, { timeout: 60000 }).catch(() => { throw new Error(`${text}: waited in vain`); });
    const look = (what) => tab.evaluate(what), send = (...parts) => tab.evaluate((p) => window.stiction.live.send(...p), parts);
    await until("window.stiction?.live?.page && document.getElementById('go')", "the scene opens");
    assert.equal(await look("window.stiction.census().bodies"), 14);

    // run with little friction, so that the arch falls; pause; the answers are about the instant on the page
    await tab.evaluate(() => { const f = document.getElementById("friction"); f.value = "0.2"; f.onchange(); });
    await tab.click("#go");
    await until("window.stiction.run.end > 0.3", "it runs");
    await tab.click("#ask");
    await until("['instant', 'sticking', 'modes', 'closure', 'impact'].every((q) => document.querySelector(`[data-question=${q}]`))", "all is answered");
    const asked = await look(`(() => ({ running: window.stiction.live.running, time: window.stiction.run.end,
        sticking: window.stiction.live.answers.find((a) => a.question === "sticking"), instant: window.stiction.live.answers[0] }))()`);
    assert.equal(asked.running, false, "asking pauses");
    assert.ok(asked.instant.lines[0].startsWith(`t = ${Number(asked.time.toPrecision(6))}`), `about this instant: ${asked.instant.lines[0]}, ${asked.time}`);
    assert.ok(asked.sticking.proof || asked.sticking.good === null, `what is claimed was checked: ${JSON.stringify(asked.sticking)}`);
    await tab.evaluate(() => window.stiction.live.send("forget"));

    // at its start the arch stands from mu = 0.30704 on: the answer says so, and its forces are drawn
    await tab.evaluate(() => { document.getElementById("scene").value = "arch"; document.getElementById("open").click(); });
    await until("window.stiction.run.count === 1", "it opens again");
    await tab.click("#ask");
    await until("window.stiction.live.answers.find((a) => a.question === 'sticking')", "sticking is answered");
    const standing = await look("window.stiction.live.answers.find((a) => a.question === 'sticking')");
    assert.equal(standing.good, true);
    const mu = Number(standing.lines.find((l) => l.startsWith("least friction")).split(": ")[1]);
    assert.ok(Math.abs(mu - 0.30704) < 1e-4, `least friction ${mu}`);
    assert.ok(await look("window.stiction.census().answers") >= 12, "forces are drawn");
    const far = await look(`Math.max(...window.stiction.live.answers.find((a) => a.question === "sticking").contacts.map((f) =>
        Math.abs(Math.hypot(f.at[0], f.at[1]) - 1.15)))`);
    assert.ok(far < 0.16 + 1e-6, `forces act in the joints of the arch, inner radius 1 and outer 1.3: ${far}`);
    if (picture) await tab.screenshot({ path: picture });

    // an arm that moves a box: its joints and contacts hold up to the tolerance of steps, and the question is answered
    // all the same
    const stones = await look("window.stiction.live.number");
    await tab.evaluate(() => window.stiction.live.send("scene", "arm-grasp", ""));
    await until(`window.stiction.live.number > ${stones} && window.stiction.run.bodies.length === 12`, "the arm opens");
    await tab.evaluate(() => window.stiction.live.send("speed", "0.2"));
    await tab.click("#go");
    await until("window.stiction.run.end > 0.2", "the arm runs");
    await tab.click("#ask");
    await until("window.stiction.live.answers.some((a) => a.question === 'sticking')", "the arm is asked");
    const held = await look("({ moving: window.stiction.live.answers[0].lines.join(), sticking: window.stiction.live.answers.find((a) => a.question === 'sticking') })");
    assert.ok(held.moving.includes("velocities fit"), `it moves: ${held.moving}`);
    assert.equal(held.sticking.good, true, `the grip sticks: ${JSON.stringify(held.sticking.lines)}`);
    assert.ok(held.sticking.proof);
    await tab.evaluate(() => window.stiction.live.send("scene", "arch", ""));
    await until(`window.stiction.live.number > ${stones + 1} && window.stiction.run.bodies.length === 14`, "the arch opens again");
    await tab.evaluate(() => window.stiction.live.send("speed", "1"));

    // keys and the choice of speed are for the scene
    await tab.evaluate(() => document.activeElement.blur());
    await tab.select("#speed", "0.5");
    await until("window.stiction.live.speed === 0.5", "half as fast");
    await tab.evaluate(() => document.activeElement.blur());
    await tab.keyboard.press("s");
    await until("window.stiction.run.end > 0", "a key makes a step");
    await tab.keyboard.press(" ");
    await until("window.stiction.live.running", "a key lets it run");
    await tab.keyboard.press(" ");
    await until("window.stiction.live.running === false", "a key pauses it");

    // a robot's file, on the ground that the command line asked for
    await send("scene", "arm.urdf", "");
    await until("window.stiction.run.title === 'arm.urdf' && document.getElementById('go')", "a robot opens");
    assert.ok(await look("window.stiction.run.bodies.some((b) => b.name === 'ground')"), "it stands on the ground");
    // a box that hits the ground: what each law of impact makes of it is drawn
    await send("scene", "hit.json", "");
    await until("window.stiction.run.title === 'hit.json' && document.getElementById('go')", "a box opens");
    await tab.click("#ask");
    await until("document.querySelector('[data-question=impact]')", "the impact is asked");
    const laws = await tab.evaluate(() => [...document.querySelectorAll("[data-question=impact] .offer")].map((b) => { b.click(); return [b.textContent, window.stiction.view.marks.motion.length]; }));
    assert.ok(laws.length >= 3 && laws.every(([, moving]) => moving === 1), `laws of impact are drawn: ${JSON.stringify(laws)}`);
    await send("scene", "arch", "");
    await until("window.stiction.run.title === 'arch' && document.getElementById('go')", "the arch opens once more");
    await send("speed", "1");

    // a stone is pulled by the mouse, up and away
    const before = await look("Array.from(window.stiction.run.place(0, 5, new Float64Array(7)))");
    const at = await tab.evaluate(() => {
        const { view, run } = window.stiction, b = view.canvas.getBoundingClientRect(), v = run.shapes.find((s) => s.body === 5).vertices, p = view.meshes[5].position.clone().set(0, 0, 0);
        for (let i = 0; i < v.length; i += 3) { p.x += (3 * v[i]) / v.length; p.y += (3 * v[i + 1]) / v.length; }
        view.meshes[5].localToWorld(p).project(view.camera);
        return [b.left + ((p.x + 1) / 2) * b.width, b.top + ((1 - p.y) / 2) * b.height];
    });
    await tab.click("#go");
    await tab.mouse.move(...at);
    await tab.mouse.down();
    await tab.mouse.move(at[0] + 10, at[1] - 60, { steps: 4 });
    await new Promise((r) => setTimeout(r, 60));
    await tab.mouse.move(at[0] + 20, at[1] - 220, { steps: 8 });
    await until(`window.stiction.run.place(window.stiction.run.count - 1, 5, new Float64Array(7))[1] > ${before[1] + 0.2}`, "the stone follows the mouse");
    await tab.mouse.up();
    await tab.click("#go");
    await until("window.stiction.live.running === false", "it pauses");

    // what is saved stands in the folder, and nowhere else
    const said = async (word) => until(`window.stiction.live.log.some((l) => l.includes(${JSON.stringify(word)}))`, word);
    await send("save", "scene", "mine");
    await said("mine.json");
    await send("save", "run", "pulled");
    await said("Saved: " + folder + "/pulled");
    await send("step");
    await send("save", "problem", "posed");
    await said("posed.hdf5");
    assert.ok(existsSync(`${folder}/mine.json`) && existsSync(`${folder}/pulled/trajectory.h5`) && existsSync(`${folder}/posed.hdf5`));
    for (const name of ["../../etc/x", "/etc/x", "..", ".hidden", "a/b", "", "mine"]) await send("save", "scene", name);
    for (const name of ["../../etc/passwd", "/etc/passwd", "<img src=x onerror=window.hacked=1>", "mine.json/../../x"]) await send("scene", name, "");
    await send("pull", "99", "0 0 0", "0 0 0");
    await send("pull", "5", "nan 0 0", "0 0 0");
    await send("friction", "-1");
    await send("nonsense");
    await send("speed", "1e99");
    await until("window.stiction.live.log.filter((l) => l.startsWith('error')).length >= 16", "each is refused");
    assert.equal(readdirSync(folder).length, 6, `nothing else was written: ${readdirSync(folder)}`);

    // a scene of more bodies than there is memory for
    await send("scene", "arch", "count=50000000");
    await until("window.stiction.live.log.filter((l) => l.startsWith('error')).length >= 17", "a scene that is too large is refused");

    // a hostile name is text
    const evil = readdirSync(folder).find((n) => n.includes("<img"));
    await tab.evaluate((n) => window.stiction.live.send("scene", n, ""), evil);
    await until("window.stiction.run.bodies.length === 2", "the scene with the hostile name opens");
    assert.ok((await look("document.body.textContent")).includes(evil), "the name is shown");
    assert.equal(await look("window.hacked === undefined && document.images.length === 0"), true, "a name became a script");

    // a huge message, a binary one, too many connections: closed, and the server lives
    const closes = (make) => tab.evaluate((path, m) => new Promise((resolve) => {
        const s = new WebSocket(`ws://${location.host}${path}`);
        s.onopen = () => s.send(m === "huge" ? "x".repeat(1 << 20) : new Uint8Array(9));
        s.onclose = () => resolve("closed");
        setTimeout(() => resolve("open"), 20000);
    }), socketPath, make);
    assert.equal(await closes("huge"), "closed");
    assert.equal(await closes("binary"), "closed");
    const crowd = await tab.evaluate((path) => Promise.all(Array.from({ length: 8 }, () => new Promise((resolve) => {
        const s = new WebSocket(`ws://${location.host}${path}`);
        s.onopen = () => resolve(1);
        s.onerror = () => resolve(0);
    }))).then((all) => all.reduce((a, b) => a + b)), socketPath);
    assert.equal(crowd, 3, "four pages at most");
    await send("step");
    await until("window.stiction.run.count === 2", "it still steps");

    // what has no bodies: grains, a push, a system by formulas; they run, are asked, and end
    let number = await look("window.stiction.live.number");
    for (const [name, settings, kind, bodies] of [["pebble-bed", "count=60", "grains", 60], ["peg-in-hole", "", "bodies", 4], ["stick-slip", "mu=0.9", "curves", 0]]) {
        await send("scene", name, settings);
        number++;
        await until(`window.stiction.live.number === ${number} && window.stiction.run.kind === "${kind}" && document.getElementById("go")`, `${name} opens`);
        if (bodies > 0) assert.equal(await look("window.stiction.census().bodies"), bodies, name);
        const start = await look("window.stiction.run.place ? Array.from(window.stiction.run.steps[0].x ?? window.stiction.run.steps[0].pose ?? []).slice(0, 300) : []");
        await tab.click("#go");
        await until("window.stiction.run.end > 0.6", `${name} runs`);
        await tab.click("#ask");
        await until("window.stiction.live.answers.length > 0 && !window.stiction.live.running", `${name} is asked`);
        const now = await look("(() => { const s = window.stiction.run.steps.at(-1); return Array.from(s.x ?? s.pose ?? []).slice(0, 300); })()");
        assert.ok(start.length === 0 || now.some((x, i) => Math.abs(x - start[i]) > 1e-3), `${name} moves`);
        const seen = await look(`(() => { const { view, run } = window.stiction; return run.kind !== "bodies" || view.meshes.every((m, k) => run.bodies[k].fixed
            || view.bounds.clone().expandByScalar(0.1 * view.size).containsBox(view.bounds.clone().setFromObject(m))); })()`);
        assert.ok(seen, `${name} stays in the picture`);
        const curves = await look("window.stiction.run.series.map((s) => [s.name, s.values.length, s.values.at(-1)])");
        assert.ok(curves.length >= 3 && curves.every(([, n]) => n > 3 && n === curves[0][1]), `curves of ${name}: ${JSON.stringify(curves)}`);
    }
    await until("window.stiction.live.answers.find((a) => a.question === 'sticking')", "a system is analyzed");
    const block = await look("window.stiction.live.answers.find((a) => a.question === 'sticking')");
    assert.ok(block.good === true && Math.abs(block.contacts[0].lambda[0] - 9.81) < 1e-9 && block.contacts[0].mu === 0.9, JSON.stringify(block));
    await send("pull", "0", "0 0 0", "0 1 0");
    await said("only bodies are pulled");
    await send("scene", "pebble-bed", "count=60");
    await until(`window.stiction.live.number === ${number + 1} && window.stiction.run.kind === "grains" && document.getElementById("go")`, "grains again");
    for (let k = 0; k < 5; k++) await send("step");
    await send("save", "run", "grains");
    await said("Saved: " + folder + "/grains");
    await send("save", "problem", "grains-step");
    await said("grains-step.hdf5");
    assert.deepEqual(faults, [], "errors in the page");
    console.log(`serve: asked at t = ${asked.time}: ${asked.sticking.verdict}; least friction of the arch ${mu}`);
} finally {
    await browser.close();
    server.kill("SIGINT");
}
assert.equal(await over, 0, "it ends by Ctrl-C");
