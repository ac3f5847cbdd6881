// marks.js: an answer in the scene: contacts with their cones and forces, and a motion that the bodies show to and fro.
import * as THREE from "three";
import { MODE_COLOR } from "./view.js";

const UP = new THREE.Vector3(0, 1, 0), PERIOD = 2.4; // seconds to and fro
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const seen = (color, opacity = 1) => new THREE.MeshBasicMaterial({ color, opacity, transparent: true, depthTest: false, side: THREE.DoubleSide });

export class Marks {
    constructor(view) {
        Object.assign(this, { view, group: null, count: 0, motion: null, began: 0, light: null });
    }

    set(drawn) {
        this.highlight(null);
        this.rest();
        this.group?.removeFromParent();
        this.group?.traverse((o) => { o.geometry?.dispose(); o.material?.dispose?.(); });
        this.group = null;
        this.count = 0;
        if (!drawn) return;
        this.group = new THREE.Group();
        this.coneGroup = new THREE.Group();
        this.group.add(this.coneGroup);
        // not much larger than the smallest body that is touched
        const { size, reach } = this.view;
        this.size = Math.min(size, ...drawn.contacts.map((c) => Math.max(5 * (reach?.[c.body] || Infinity), 0.1 * size)));
        const most = Math.max(...drawn.contacts.map((c) => (c.force ? Math.hypot(...c.force) : 0)), 1e-300);
        for (const c of drawn.contacts) this.contact(c, most);
        this.group.traverse((o) => { if (o.renderOrder === 0) o.renderOrder = 14; });
        this.cones(this.view.options.cones);
        this.view.scene.add(this.group);
        this.begin(drawn.motion);
    }

    contact(c, most) {
        const { size } = this, at = new THREE.Vector3(...c.at), tone = MODE_COLOR[c.tone] ?? MODE_COLOR.none;
        const ball = new THREE.Mesh(new THREE.SphereGeometry((c.force || c.normal ? 0.007 : 0.012) * size, 16, 12), seen(tone));
        ball.position.copy(at);
        this.group.add(ball);
        if (c.normal && c.mu > 0) this.cone(c, at, tone);
        if (c.force) this.arrow(at, new THREE.Vector3(...c.force), (0.17 * size) / most, tone);
        this.count++;
    }

    cone(c, at, tone) {
        const { flat } = this.view, most = 0.09 * this.size;
        const high = Math.min(most, most / Math.max(c.mu, 1e-9));
        const geometry = new THREE.ConeGeometry(c.mu * high, high, 32, 1, true).rotateX(Math.PI).translate(0, high / 2, 0);
        if (flat) geometry.scale(1, 1, 1e-4);
        const mesh = new THREE.Mesh(geometry, Object.assign(seen(tone, 0.22), { depthWrite: false }));
        mesh.position.copy(at);
        mesh.quaternion.setFromUnitVectors(UP, new THREE.Vector3(...c.normal));
        mesh.renderOrder = 13;
        this.coneGroup.add(mesh);
    }

    arrow(at, vector, unit, tone) {
        const { size } = this, length = Math.min(vector.length() * unit, 0.3 * this.view.size), thick = 0.008 * size;
        if (length < 0.004 * size) return;
        const head = Math.min(0.45 * length, 4 * thick), material = seen(tone), arrow = new THREE.Group();
        arrow.add(new THREE.Mesh(new THREE.CylinderGeometry(thick / 2, thick / 2, length - head, 10).translate(0, (length - head) / 2, 0), material));
        arrow.add(new THREE.Mesh(new THREE.ConeGeometry(1.4 * thick, head, 16).translate(0, length - head / 2, 0), material));
        arrow.position.copy(at);
        arrow.quaternion.setFromUnitVectors(UP, vector.clone().normalize());
        this.group.add(arrow);
    }

    cones(on) {
        if (this.coneGroup) this.coneGroup.visible = on;
    }

    highlight(at) {
        this.light?.removeFromParent();
        this.light = null;
        if (!at) return;
        this.light = new THREE.Mesh(new THREE.SphereGeometry(0.03 * this.size, 24, 16), seen(0x7048e8, 0.45));
        this.light.position.set(...at);
        this.light.renderOrder = 15;
        this.view.scene.add(this.light);
    }

    // ---- motions: twists of bodies, drawn as ways of their middles and shown to and fro

    begin(motion) {
        const { view } = this, box = new THREE.Box3(), middle = new THREE.Vector3();
        const list = (motion || []).filter((m) => Math.hypot(...m.v, ...m.w) > 0 && view.meshes[m.body]);
        if (list.length === 0) return;
        let most = 0;
        this.motion = list.map((m) => {
            const mesh = view.meshes[m.body], v = new THREE.Vector3(...m.v), w = new THREE.Vector3(...m.w);
            mesh.updateMatrixWorld(true);
            box.setFromObject(mesh).getCenter(middle);
            const reach = box.isEmpty() ? 0 : 0.5 * box.getSize(new THREE.Vector3()).length();
            const speed = w.clone().cross(middle.clone().sub(mesh.position)).add(v);
            most = Math.max(most, speed.length() + 0.5 * reach * w.length());
            return { mesh, v, w, place: mesh.position.clone(), turn: mesh.quaternion.clone(), middle: box.isEmpty() ? mesh.position.clone() : middle.clone(), speed };
        });
        this.unit = (0.07 * view.size) / most;
        this.began = performance.now();
        for (const m of this.motion) this.arrow(m.middle, m.speed, 2 * this.unit, 0x7048e8);
        this.group.traverse((o) => { if (o.renderOrder === 0) o.renderOrder = 14; });
    }

    get moves() {
        return this.motion !== null && !still;
    }

    move() {
        if (!this.moves) return;
        const s = (this.unit * (1 - Math.cos((2 * Math.PI * (performance.now() - this.began)) / (1000 * PERIOD)))) / 2, q = new THREE.Quaternion();
        for (const m of this.motion) {
            m.mesh.position.copy(m.place).addScaledVector(m.v, s);
            const angle = s * m.w.length();
            m.mesh.quaternion.copy(m.turn);
            if (angle > 0) m.mesh.quaternion.premultiply(q.setFromAxisAngle(m.w.clone().normalize(), angle));
        }
    }

    rest() {
        for (const m of this.motion || []) { m.mesh.position.copy(m.place); m.mesh.quaternion.copy(m.turn); }
        this.motion = null;
    }
}
