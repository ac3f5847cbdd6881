// data.js: the run as the command packed it: numbers in base64, little-endian, beside names in JSON.

function bytes(text) {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out.buffer;
}

const kinds = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u16: Uint16Array, u8: Uint8Array };

export function unpack(value) {
    if (value === null || typeof value !== "object") return value;
    if (typeof value.base64 === "string" && kinds[value.type]) return new kinds[value.type](bytes(value.base64));
    if (Array.isArray(value)) return value.map(unpack);
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, unpack(v)]));
}

export const MODES = ["open", "stick", "slip"];

export class Run {
    constructor(json) {
        Object.assign(this, unpack(json));
        if (this.answers) this.contacts = null; // those of the answers are shown
        this.series ??= [];
        this.times = this.frames ? this.frames.time : [];
        this.count = this.times.length;
        this.start = this.count > 0 ? this.times[0] : 0;
        this.end = this.count > 0 ? this.times[this.count - 1] : 0;
    }

    // The last frame that is not after t.
    frameAt(t) {
        let low = 0, high = this.count - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.times[middle] <= t + 1e-12) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    // Contacts of a frame are these rows, up to the second.
    contactRange(frame) {
        const end = this.frames.contact_end;
        if (!end || end.length === 0) return [0, 0];
        return [frame > 0 ? end[frame - 1] : 0, end[frame]];
    }

    contact(row) {
        return this.contactOf(this.contacts.data, this.contacts.pair, this.contacts.mode, row);
    }

    contactOf(data, pair, mode, row) {
        const d = data.subarray(10 * row, 10 * row + 10), [a, b] = pair.subarray(2 * row, 2 * row + 2);
        const n = [d[3], d[4], d[5]], r = [d[6], d[7], d[8]];
        const normal = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
        const along = r.map((x, i) => x - normal * n[i]);
        const friction = Math.hypot(...along), used = normal > 0 && d[9] > 0 ? friction / (d[9] * normal) : null;
        return { a, b, point: [d[0], d[1], d[2]], n, r, mu: d[9], normal, friction, used, mode: MODES[mode[row]] };
    }

    nameOf(k) {
        if (k < 0) return `wall ${-k}`;
        return this.bodies && this.bodies[k] ? this.bodies[k].name : `grain ${k + 1}`;
    }

    // Place of a body: x, and for bodies the quaternion w, x, y, z.
    place(frame, k, out) {
        if (this.kind === "grains") {
            const at = 3 * (frame * this.grains.count + k), f = this.frames;
            for (let i = 0; i < 3; i++) out[i] = f.low[i] + (f.x[at + i] / 65535) * f.size[i];
        } else {
            const at = 7 * (frame * this.bodies.length + k);
            for (let i = 0; i < 7; i++) out[i] = this.frames.pose[at + i];
        }
        return out;
    }
}
