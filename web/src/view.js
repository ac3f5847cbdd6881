// view.js: the run in three dimensions: bodies, grains, the vessel, forces and friction cones of contacts.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Grains } from "./grains.js";
import { Marks } from "./marks.js";
import { hull } from "./hull.js";

// Colours that the colour-blind tell apart (Okabe and Ito).
export const PALETTE = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442, 0x8c8c8c];
export const MODE_COLOR = { open: 0x9aa3ad, none: 0x9aa3ad, stick: 0x2f9e62, near: 0xe8a200, slip: 0xd9480f };
const NEAR = 0.9; // of its cone: close to slipping
const MOST_ARROWS = 4096;

function shapeGeometry(shape) {
    const points = [], v = shape.vertices;
    for (const face of shape.faces) {
        for (let i = 1; i + 1 < face.length; i++) {
            for (const k of [face[0], face[i], face[i + 1]]) points.push(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.computeVertexNormals();
    return geometry;
}

// A plane polygon gets a little thickness, so that it is lit and casts a shape like any other.
function flatGeometry(shape, depth) {
    const v = shape.vertices, outline = new THREE.Shape(shape.faces[0].map((k) => new THREE.Vector2(v[3 * k], v[3 * k + 1])));
    const geometry = new THREE.ExtrudeGeometry(outline, { depth, bevelEnabled: false });
    geometry.translate(0, 0, -depth / 2);
    return geometry;
}

export class View {
    constructor(canvas, run) {
        this.run = run;
        this.canvas = canvas;
        this.flat = run.dim === 2;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
        this.scene = new THREE.Scene();
        this.options = { forces: true, cones: run.kind !== "grains", vessel: true, trails: run.trails === true };
        this.follow = -1;
        this.place = new Float64Array(7);
        this.bounds = this.findBounds();
        this.size = Math.max(this.bounds.getSize(new THREE.Vector3()).length(), 1e-6);
        this.addLights();
        this.addCamera();
        this.meshes = [];
        if (run.kind === "grains") this.addGrains();
        else if (run.kind === "bodies") this.addBodies();
        if (run.walls) this.addWalls();
        this.reach = this.findReach();
        this.addContacts();
        this.addTrails();
        this.largest = this.findLargest();
    }

    findBounds() {
        const box = new THREE.Box3(), run = this.run, p = new THREE.Vector3(), at = new Float64Array(7);
        if (run.kind === "grains") {
            const f = run.frames, last = run.count - 1, r = Math.max(...run.grains.radius.subarray(0, 64));
            for (const frame of [0, last]) {
                for (let k = 0; k < run.grains.count; k += Math.max(1, Math.floor(run.grains.count / 2000)))
                    box.expandByPoint(p.fromArray(run.place(frame, k, at)));
            }
            box.expandByScalar(r);
            return box;
        }
        const stride = Math.max(1, Math.floor(run.count / 40)), centre = new THREE.Vector3(), q = new THREE.Quaternion(), one = new THREE.Box3();
        for (let k = 0; k < run.bodies.length; k++) {
            if (run.bodies[k].fixed && run.bodies.some((b) => !b.fixed) && !run.names) continue;
            const shapes = run.shapes.filter((s) => s.body === k);
            for (let f = 0; f < run.count; f += stride) {
                run.place(f, k, at);
                q.set(at[4], at[5], at[6], at[3]);
                one.makeEmpty().expandByPoint(p.set(at[0], at[1], at[2]));
                for (const s of shapes) {
                    const skip = 3 * Math.max(1, Math.floor(s.vertices.length / 600));
                    for (let i = 0; i + 2 < s.vertices.length; i += skip) {
                        p.fromArray(s.vertices, i).applyQuaternion(q);
                        one.expandByPoint(p.set(p.x + at[0], p.y + at[1], p.z + at[2]));
                    }
                }
                // A body that fell out of the scene does not make the rest small.
                if (f > 0 && one.getCenter(p).distanceTo(box.getCenter(centre)) > 6 * box.getSize(new THREE.Vector3()).length()) continue;
                box.union(one);
            }
        }
        for (const g of run.goals || []) box.expandByPoint(p.set(g.at[0], g.at[1], 0));
        for (const at of run.points || []) box.expandByPoint(p.fromArray(at));
        if (run.points && !box.isEmpty()) box.expandByScalar(0.25 * box.getSize(new THREE.Vector3()).length());
        if (this.flat) box.min.z = box.max.z = 0;
        if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
        return box;
    }

    addLights() {
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8896a8, 1.7));
        const sun = new THREE.DirectionalLight(0xffffff, 1.9);
        sun.position.set(-0.6, this.flat ? 0.5 : -1, this.flat ? 2 : 1.6);
        this.scene.add(sun);
    }

    addCamera() {
        if (this.flat) this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -100 * this.size, 100 * this.size);
        else this.camera = new THREE.PerspectiveCamera(32, 1, this.size / 500, this.size * 50);
        this.camera.up.set(0, this.flat ? 1 : 0, this.flat ? 0 : 1);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.addEventListener("change", () => this.touch());
        this.controls.addEventListener("start", () => { this.chosen = true; });
        this.controls.enableRotate = !this.flat;
        if (this.flat) this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
        this.home();
    }

    home() {
        this.chosen = false;
        if (this.run.live && this.meshes?.length > 0) this.bounds = this.findBounds();
        const centre = this.bounds.getCenter(new THREE.Vector3());
        if (this.flat) {
            this.camera.position.set(centre.x, centre.y, this.size);
            this.camera.zoom = 1;
        } else {
            const far = 1.82 / Math.min(1, this.aspect || 1); // the ball around all that moves is seen whole
            const away = new THREE.Vector3(0.55, -1, 0.42).normalize().multiplyScalar(far * Math.max(this.bounds.getSize(new THREE.Vector3()).length(), 1e-6));
            this.camera.position.copy(centre).add(away);
        }
        this.controls.target.copy(centre);
        this.controls.update();
        this.resize();
    }

    // A live run may leave the picture; one that the user chose stays.
    follows() {
        if (this.chosen || this.follow >= 0 || this.meshes.length === 0) return;
        const reach = this.bounds.clone().expandByScalar(0.012 * this.size), far = this.bounds.clone().expandByScalar(4 * this.size), box = new THREE.Box3();
        const moving = this.meshes.filter((m, k) => !this.run.bodies[k].fixed);
        if (moving.every((m) => far.containsPoint(m.position)) && moving.some((m) => !box.setFromObject(m).isEmpty() && !reach.containsBox(box))) this.home();
    }

    // By keys: turned in space (angles), shifted in the plane (parts of the picture); nearer by a factor.
    turn(right, up) {
        this.chosen = true;
        const { camera, controls } = this, away = camera.position.clone().sub(controls.target);
        if (this.flat) {
            const by = new THREE.Vector3(right * camera.right / camera.zoom, up * camera.top / camera.zoom, 0);
            camera.position.add(by);
            controls.target.add(by);
        } else {
            const at = new THREE.Spherical().setFromVector3(new THREE.Vector3(away.x, away.z, -away.y));
            at.theta += right;
            at.phi = Math.min(Math.max(at.phi - up, 0.02), Math.PI - 0.02);
            away.setFromSpherical(at);
            camera.position.copy(controls.target).add(new THREE.Vector3(away.x, -away.z, away.y));
        }
        controls.update();
        this.touch();
    }

    nearer(factor) {
        this.chosen = true;
        const { camera, controls } = this;
        if (this.flat) {
            camera.zoom *= factor;
            camera.updateProjectionMatrix();
        } else {
            camera.position.lerp(controls.target, 1 - 1 / factor);
        }
        controls.update();
        this.touch();
    }

    addBodies() {
        const run = this.run, groups = run.bodies.map(() => new THREE.Group());
        for (const shape of run.shapes) {
            const { fixed, look } = run.bodies[shape.body];
            const geometry = this.flat ? flatGeometry(shape, 0.01 * this.size) : shapeGeometry(shape);
            const material = new THREE.MeshStandardMaterial({
                color: fixed ? 0xb4bcc6 : look === "tip" ? 0xf0c000 : PALETTE[shape.body % PALETTE.length], roughness: 0.75, flatShading: !shape.smooth,
                side: THREE.DoubleSide, transparent: fixed || look === "cage", opacity: fixed ? 0.55 : look === "cage" ? 0.35 : 1, depthWrite: !fixed,
                polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
            groups[shape.body].add(new THREE.Mesh(geometry, material));
            if (look === "cage") groups[shape.body].add(new THREE.Mesh(new THREE.CircleGeometry(0.008 * this.size, 20).translate(0, 0, 0.01 * this.size), new THREE.MeshBasicMaterial({ color: 0x1c2733 })));
            if (!shape.smooth || this.flat) {
                const edges = new THREE.EdgesGeometry(geometry, 25);
                groups[shape.body].add(new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: 0x1c2733, transparent: true, opacity: fixed ? 0.25 : 0.6 })));
            }
        }
        if (run.points?.length > 0) groups[0].add(...hull(run.points, this.flat, this.size));
        groups.forEach((g, k) => { g.name = run.bodies[k].name; g.userData.body = k; this.scene.add(g); });
        this.meshes = groups;
    }

    addGrains() {
        const { layer } = this.run.grains, tones = PALETTE.map((c) => new THREE.Color(c));
        this.grains = new Grains(this.run.grains, (k) => tones[layer[k] % 7]);
        this.scene.add(this.grains);
    }

    addWalls() {
        const material = new THREE.MeshStandardMaterial({ color: 0x8fa3b8, transparent: true, opacity: 0.16, side: THREE.DoubleSide, depthWrite: false });
        const box = this.bounds, size = this.size, z = new THREE.Vector3(0, 0, 1), centre = box.getCenter(new THREE.Vector3());
        this.vessel = new THREE.Group();
        for (const w of this.run.walls) {
            const axis = new THREE.Vector3(...w.axis), point = new THREE.Vector3(...w.point);
            let geometry;
            if (w.kind === 0) {
                geometry = new THREE.PlaneGeometry(1.15 * size, 1.15 * size);
                const off = centre.clone().sub(point).dot(axis);
                point.copy(centre).addScaledVector(axis, -off);
            } else if (w.kind === 1) {
                const from = Math.max(0, box.min.clone().sub(point).dot(axis)), to = box.max.clone().sub(point).dot(axis);
                const base = w.axis[2] === 1 ? this.coneTop(w) : -size / 2, high = w.axis[2] === 1 ? to - base : size;
                geometry = new THREE.CylinderGeometry(w.radius, w.radius, Math.max(high, 1e-6), 72, 1, true).rotateX(Math.PI / 2).translate(0, 0, base + high / 2);
                void from;
            } else {
                const high = this.coneHeight(w);
                geometry = new THREE.CylinderGeometry(w.radius + w.slope * high, w.radius, high, 72, 1, true).rotateX(Math.PI / 2).translate(0, 0, high / 2);
            }
            const mesh = new THREE.Mesh(geometry, material);
            mesh.quaternion.setFromUnitVectors(z, axis);
            mesh.position.copy(point);
            this.vessel.add(mesh);
        }
        this.scene.add(this.vessel);
    }

    // Where a cone meets the cylinder around it, along its axis; how high a cylinder begins for the same reason.
    coneHeight(cone) {
        const cylinder = this.run.walls.find((w) => w.kind === 1);
        if (!cylinder || !(cone.slope > 0)) return this.size / 2;
        return Math.max((cylinder.radius - cone.radius) / cone.slope, 1e-6);
    }

    coneTop(cylinder) {
        const cone = this.run.walls.find((w) => w.kind === 2);
        return cone ? cone.point[2] - cylinder.point[2] + this.coneHeight(cone) : 0;
    }

    addContacts() {
        const through = this.run.kind === "bodies"; // forces are seen through bodies, not through a bed
        const lambert = () => new THREE.MeshLambertMaterial({ depthTest: !through, transparent: through });
        const instanced = (geometry, material) => {
            const mesh = new THREE.InstancedMesh(geometry, material, MOST_ARROWS);
            mesh.frustumCulled = false;
            mesh.renderOrder = 10;
            mesh.count = 0;
            this.scene.add(mesh);
            return mesh;
        };
        this.shafts = instanced(new THREE.CylinderGeometry(0.5, 0.5, 1, 10).translate(0, 0.5, 0), lambert());
        this.heads = instanced(new THREE.ConeGeometry(0.5, 1, 14).translate(0, 0.5, 0), lambert());
        this.points = instanced(new THREE.IcosahedronGeometry(1, 1), lambert());
        this.cones = instanced(new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
            new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.2, side: THREE.DoubleSide, depthWrite: false, depthTest: !through }));
    }

    // How far each body that moves reaches from its middle: what is drawn at its contacts is not much larger.
    findReach() {
        if (this.run.kind !== "bodies") return null;
        const reach = this.run.bodies.map(() => 0), box = new THREE.Box3();
        this.run.bodies.forEach((b, k) => {
            box.makeEmpty();
            for (const s of this.run.shapes) if (s.body === k) for (let i = 0; i + 2 < s.vertices.length; i += 3) box.expandByPoint(new THREE.Vector3().fromArray(s.vertices, i));
            reach[k] = b.fixed || b.look === "tip" || box.isEmpty() ? Infinity : 0.5 * box.getSize(new THREE.Vector3()).length();
        });
        return reach;
    }

    // Ways of the bodies that move, and the goals of vehicles.
    addTrails() {
        const run = this.run;
        this.trails = new THREE.Group();
        this.trails.visible = false;
        this.scene.add(this.trails);
        for (const g of run.goals || []) {
            const ring = new THREE.Mesh(new THREE.RingGeometry(0.008 * this.size, 0.014 * this.size, 24), new THREE.MeshBasicMaterial({ color: PALETTE[g.body % PALETTE.length] }));
            ring.position.set(g.at[0], g.at[1], -0.02 * this.size);
            this.scene.add(ring);
        }
    }

    makeTrails() {
        const run = this.run, at = new Float64Array(7);
        this.trailCount = run.count;
        for (const line of this.trails.children) line.geometry.dispose();
        this.trails.clear();
        run.bodies.forEach((body, k) => {
            if (body.fixed) return;
            const points = [], stride = Math.max(1, Math.floor(run.count / 2000));
            for (let f = 0; f < run.count; f += stride) {
                run.place(f, k, at);
                points.push(at[0], at[1], this.flat ? 0.02 * this.size : at[2]);
            }
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
            this.trails.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: body.look === "tip" ? 0xb58900 : PALETTE[k % PALETTE.length], depthTest: !this.flat, transparent: true })));
            this.trails.children.at(-1).renderOrder = 8;
        });
    }

    close() {
        this.controls.dispose();
        this.renderer.dispose();
        this.renderer.forceContextLoss();
    }

    findLargest() {
        const c = this.run.contacts, sizes = [];
        if (this.run.live) return this.run.largestForce();
        if (!c) return 0;
        const stride = Math.max(1, Math.floor(c.mode.length / 20000));
        for (let k = 0; k < c.mode.length; k += stride) sizes.push(Math.hypot(c.data[10 * k + 6], c.data[10 * k + 7], c.data[10 * k + 8]));
        sizes.sort((a, b) => a - b);
        return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] || sizes[sizes.length - 1] : 0;
    }

    show(frame) {
        const run = this.run, p = this.place;
        this.frame = frame;
        this.touch();
        if (this.grains) this.showGrains(frame);
        for (let k = 0; k < this.meshes.length; k++) {
            run.place(frame, k, p);
            this.meshes[k].position.set(p[0], p[1], p[2]);
            this.meshes[k].quaternion.set(p[4], p[5], p[6], p[3]);
        }
        this.showContacts(frame);
        if (this.follow >= 0) this.followBody();
    }

    showGrains(frame) {
        const { run } = this, { low, size, x } = run.frames;
        if (run.live) this.grains.placeNumbers(run.grainPlaces(frame));
        else this.grains.placeParts(x, 3 * frame * run.grains.count, low, size);
    }

    followBody() {
        const p = this.run.place(this.frame, this.follow, this.place), at = new THREE.Vector3(p[0], p[1], p[2]);
        const by = at.clone().sub(this.controls.target);
        this.camera.position.add(by);
        this.controls.target.copy(at);
        this.controls.update();
    }

    showContacts(frame) {
        const [from, to] = this.run.contacts ? this.run.contactRange(frame) : [0, 0];
        const y = new THREE.Vector3(0, 1, 0), d = new THREE.Vector3(), at = new THREE.Vector3(), q = new THREE.Quaternion();
        const m = new THREE.Matrix4(), scale = new THREE.Vector3(), color = new THREE.Color();
        const unit = this.largest > 0 ? (this.run.kind === "grains" ? 0.06 : 0.16) * this.size / this.largest : 0, thick = 0.006 * this.size;
        let arrows = 0, points = 0, cones = 0;
        this.shown = to - from;
        for (let row = from; row < to && points < MOST_ARROWS; row++) {
            const c = this.run.contact(row), size = Math.hypot(...c.r);
            color.set(MODE_COLOR[c.mode === "stick" && c.used > NEAR ? "near" : c.mode]);
            at.fromArray(c.point);
            if (this.run.kind !== "grains") {
                this.points.setMatrixAt(points, m.compose(at, q.identity(), scale.setScalar(0.006 * this.size)));
                this.points.setColorAt(points, color);
            }
            points++;
            const length = Math.min(size * unit, 0.22 * this.size);
            if (this.options.forces && length > 0.01 * this.size * (this.run.kind === "grains" ? 0.2 : 0.5)) {
                d.fromArray(c.r).divideScalar(size);
                q.setFromUnitVectors(y, d);
                const head = Math.min(0.4 * length, 4 * thick);
                this.shafts.setMatrixAt(arrows, m.compose(at, q, scale.set(thick, length - head, thick)));
                this.shafts.setColorAt(arrows, color);
                at.addScaledVector(d, length - head);
                this.heads.setMatrixAt(arrows, m.compose(at, q, scale.set(2.6 * thick, head, 2.6 * thick)));
                this.heads.setColorAt(arrows, color);
                arrows++;
            }
            if (this.options.cones && this.reach && c.mu > 0 && c.mode !== "open") {
                const high = Math.min(0.07 * this.size, 0.6 * this.reach[c.a], 0.6 * this.reach[c.b]);
                at.fromArray(c.point);
                q.setFromUnitVectors(y, d.fromArray(c.n));
                this.cones.setMatrixAt(cones, m.compose(at, q, scale.set(c.mu * high, high, this.flat ? 1e-4 : c.mu * high)));
                this.cones.setColorAt(cones++, color);
            }
        }
        this.shafts.count = this.heads.count = arrows;
        this.points.count = this.run.kind === "grains" ? 0 : points;
        this.cones.count = cones;
        for (const mesh of [this.shafts, this.heads, this.points, this.cones]) {
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
        }
        if (this.marks) this.marks.cones(this.options.cones);
        if (this.options.trails && this.run.kind === "bodies" && this.trailCount !== this.run.count) this.makeTrails();
        this.trails.visible = this.options.trails;
        if (this.vessel) this.vessel.visible = this.options.vessel;
    }

    // ---- a live run: what is under the pointer, pulls, answers

    ray(event) {
        const box = this.canvas.getBoundingClientRect(), caster = new THREE.Raycaster();
        const at = new THREE.Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
        this.camera.updateMatrixWorld();
        caster.setFromCamera(at, this.camera);
        return caster;
    }

    // The nearest body, if it moves; where, and where in its own frame.
    pick(event) {
        for (const g of this.meshes) g.updateMatrixWorld();
        const hit = this.ray(event).intersectObjects(this.meshes, true).find((h) => h.object.isMesh);
        if (!hit) return null;
        let group = hit.object;
        while (group.userData.body === undefined) group = group.parent;
        const body = group.userData.body, at = hit.point.clone();
        if (this.flat) at.z = 0;
        return this.run.bodies[body].fixed ? null : { body, at, grip: group.worldToLocal(at.clone()) };
    }

    // Where the pointer is on the plane through a point that faces the camera.
    onPlane(event, point) {
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), point);
        return this.ray(event).ray.intersectPlane(plane, new THREE.Vector3()) || point.clone();
    }

    showPull(held, to) {
        this.touch();
        this.pull?.removeFromParent();
        this.pull = null;
        if (!held) return;
        const from = this.meshes[held.body].localToWorld(held.grip.clone());
        this.pull = new THREE.Line(new THREE.BufferGeometry().setFromPoints([from, to]), new THREE.LineBasicMaterial({ color: 0xc2255c, depthTest: false, transparent: true }));
        this.pull.renderOrder = 12;
        this.scene.add(this.pull);
    }

    mark(body) {
        this.touch();
        this.meshes.forEach((g, k) => g.traverse((o) => { if (o.isMesh && o.material.emissive) o.material.emissive.set(k === body ? 0x5a2ca0 : 0); }));
    }

    // Forces or modes at places, and a motion: of an answer, in place of what the run shows. null: none.
    showAnswer(drawn) {
        this.touch();
        this.marks ??= new Marks(this);
        this.marks.set(drawn);
        const own = !(drawn?.contacts.length > 0);
        this.mute(drawn !== null);
        for (const mesh of [this.shafts, this.heads, this.points, this.cones]) mesh.visible = own;
    }

    // Bodies grow pale, so that what is drawn at their contacts has the colour.
    mute(on) {
        const pale = new THREE.Color(0xdfe6ee);
        for (const g of this.meshes) g.traverse((o) => {
            if (!o.isMesh || !o.material.emissive) return;
            o.userData.color ??= o.material.color.clone();
            o.material.color.copy(o.userData.color).lerp(pale, on ? 0.68 : 0);
        });
    }

    highlight(at) {
        this.touch();
        this.marks?.highlight(at);
    }

    resize() {
        const width = this.canvas.clientWidth || 1, height = this.canvas.clientHeight || 1, aspect = width / height;
        this.renderer.setSize(width, height, false);
        const turned = aspect !== this.aspect;
        this.aspect = aspect;
        if (turned && !this.flat && !this.chosen && this.follow < 0) this.home();
        if (this.flat) {
            const span = this.bounds.getSize(new THREE.Vector3());
            const half = 0.56 * Math.max(span.y, span.x / aspect, 1e-6);
            Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
        } else {
            this.camera.aspect = aspect;
        }
        this.camera.updateProjectionMatrix();
        this.touch();
    }

    background(color) {
        this.touch();
        this.scene.background = new THREE.Color(color);
    }

    // Something looks other than it was drawn.
    touch() {
        this.stale = true;
    }

    draw() {
        this.stale = false;
        this.marks?.move();
        this.renderer.render(this.scene, this.camera);
    }

    // A picture that stands still is not drawn again.
    refresh() {
        if (this.stale || this.marks?.moves) this.draw();
    }

    // What is in the scene graph now, for tests and screen readers.
    census() {
        return { bodies: this.grains ? this.grains.number : this.meshes.filter((g) => g.visible && g.children.length >= 0).length,
                 answers: this.marks?.count ?? 0, contacts: this.shown, points: this.points.count, arrows: this.shafts.count, cones: this.cones.count };
    }
}
