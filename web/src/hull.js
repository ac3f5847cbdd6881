// hull.js: what a few points span, for a body whose shape nobody knows: a polygon, a polyhedron, or a line between two.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";

// Corners counterclockwise, without those inside (Andrew's chain).
function polygon(points) {
    const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    const chain = (list) => {
        const out = [];
        for (const p of list) {
            while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 0) out.pop();
            out.push(p);
        }
        return out.slice(0, -1);
    };
    return [...chain(sorted), ...chain(sorted.reverse())];
}

function flatShape(points, size) {
    const corners = polygon(points);
    if (corners.length < 3) return null;
    return new THREE.ExtrudeGeometry(new THREE.Shape(corners.map((p) => new THREE.Vector2(p[0], p[1]))), { depth: 0.01 * size, bevelEnabled: false }).translate(0, 0, -0.005 * size);
}

// Of points in a plane: those around it, in order.
function around(points) {
    const p = points.map((x) => new THREE.Vector3(...x)), n = new THREE.Vector3(), u = new THREE.Vector3();
    for (let i = 2; i < p.length; i++) for (let k = 1; k < i; k++) {
        const one = p[k].clone().sub(p[0]).cross(p[i].clone().sub(p[0]));
        if (one.length() > n.length()) { n.copy(one); u.copy(p[k]).sub(p[0]); }
    }
    if (!(n.length() > 0)) return p;
    const v = n.clone().cross(u);
    return polygon(p.map((x) => [x.dot(u) / u.length(), x.dot(v) / v.length(), x])).map((x) => x[2]);
}

// Are they more than a plane? Else there is nothing inside.
function solidShape(points) {
    const p = points.map((x) => new THREE.Vector3(...x)), box = new THREE.Box3().setFromPoints(p), far = box.getSize(new THREE.Vector3()).length();
    for (let i = 2; i < p.length; i++) for (let k = 1; k < i; k++) {
        const n = p[k].clone().sub(p[0]).cross(p[i].clone().sub(p[0]));
        if (n.length() > 1e-6 * far * far && p.some((q) => Math.abs(q.clone().sub(p[0]).dot(n.clone().normalize())) > 1e-6 * far)) return new ConvexGeometry(p);
    }
    return null;
}

export function hull(points, flat, size) {
    const geometry = flat ? flatShape(points, size) : solidShape(points);
    const ink = new THREE.LineBasicMaterial({ color: 0x5c6875, transparent: true, opacity: 0.7 });
    if (!geometry) return [new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(around(points)), ink)];
    const skin = new THREE.MeshStandardMaterial({ color: 0x9db7d5, roughness: 0.8, flatShading: true, transparent: true, opacity: 0.6, side: THREE.DoubleSide, depthWrite: false });
    return [new THREE.Mesh(geometry, skin), new THREE.LineSegments(new THREE.EdgesGeometry(geometry, 20), ink)];
}
