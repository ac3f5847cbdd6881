// grains.js: spheres by the hundred thousand: each is a square that faces the eye, on which its sphere is met by the
// ray of each pixel. So a grain is two triangles however near one looks, and what a frame changes is its place: 8
// bytes, as it is packed.
import * as THREE from "three";

const VERTEX = `
    in vec4 place, tone;
    in float radius;
    uniform vec3 low, extent;
    flat out vec4 ball;   // centre and radius, before the eye
    flat out vec3 colour;
    out vec3 ray;
    void main() {
        vec3 centre = (modelViewMatrix * vec4(low + place.xyz * extent, 1.0)).xyz;
        float away = length(centre), wide = radius * away / sqrt(max(away * away - radius * radius, 1e-6 * away * away));
        vec3 ahead = centre / away, right = normalize(cross(ahead, abs(ahead.y) < 0.99 ? vec3(0, 1, 0) : vec3(1, 0, 0))), up = cross(right, ahead);
        ball = vec4(centre, radius);
        colour = tone.rgb;
        ray = centre + wide * 1.02 * (position.x * right + position.y * up);
        gl_Position = projectionMatrix * vec4(ray, 1.0);
    }`;

const FRAGMENT = `
    precision highp float;
    uniform mat4 projectionMatrix;
    uniform vec3 sun, sky;
    flat in vec4 ball;
    flat in vec3 colour;
    in vec3 ray;
    out vec4 pixel;
    void main() {
        vec3 along = normalize(ray);
        float near = dot(along, ball.xyz);
        vec3 aside = ball.xyz - near * along;
        float inside = ball.w * ball.w - dot(aside, aside), edge = clamp(inside / max(fwidth(inside), 1e-30) + 0.5, 0.0, 1.0);
        if (edge <= 0.0) discard;
        vec3 at = (near - sqrt(max(inside, 0.0))) * along, normal = (at - ball.xyz) / ball.w;
        vec4 place = projectionMatrix * vec4(at, 1.0);
        gl_FragDepth = 0.5 * place.z / place.w + 0.5;
        float light = 0.42 + 0.2 * dot(normal, sky) + 0.6 * max(dot(normal, sun), 0.0);
        pixel = vec4(pow(colour * light, vec3(1.0 / 2.2)), edge);
    }`;

export class Grains extends THREE.Mesh {
    // tones: of each grain, a THREE.Color. low, size: of the box of its places, which are parts of 65535 of it.
    constructor({ count, radius }, tones) {
        const geometry = new THREE.InstancedBufferGeometry();
        geometry.setAttribute("position", new THREE.Float32BufferAttribute([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], 3));
        geometry.setIndex([0, 1, 2, 0, 2, 3]);
        const colours = new Uint8Array(4 * count);
        for (let k = 0; k < count; k++) tones(k).toArray().forEach((c, i) => { colours[4 * k + i] = 255 * c; });
        const place = new THREE.InstancedBufferAttribute(new Uint16Array(4 * count), 4, true).setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute("place", place);
        geometry.setAttribute("radius", new THREE.InstancedBufferAttribute(Float32Array.from(radius), 1));
        geometry.setAttribute("tone", new THREE.InstancedBufferAttribute(colours, 4, true));
        geometry.instanceCount = count;
        super(geometry, new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, alphaToCoverage: true,
            blending: THREE.CustomBlending, blendSrc: THREE.OneFactor, blendDst: THREE.ZeroFactor, blendSrcAlpha: THREE.ZeroFactor, blendDstAlpha: THREE.OneFactor, // the page stays opaque
            vertexShader: `precision highp float;\nuniform mat4 modelViewMatrix, projectionMatrix;\nin vec3 position;\n${VERTEX}`, fragmentShader: FRAGMENT,
            uniforms: { low: { value: new THREE.Vector3() }, extent: { value: new THREE.Vector3() }, sun: { value: new THREE.Vector3() }, sky: { value: new THREE.Vector3() } } }));
        this.frustumCulled = false;
        this.onBeforeRender = (renderer, scene, camera) => {
            const { sun, sky } = this.material.uniforms;
            sun.value.set(-0.6, -1, 1.6).transformDirection(camera.matrixWorldInverse);
            sky.value.set(0, 0, 1).transformDirection(camera.matrixWorldInverse);
        };
    }

    get number() { return this.geometry.instanceCount; }

    // Of a recorded frame: parts of the box, from a place of the list on.
    placeParts(parts, from, low, size) {
        const to = this.geometry.attributes.place.array, n = this.number;
        for (let k = 0, at = from, i = 0; k < n; k++, i += 4) { to[i] = parts[at++]; to[i + 1] = parts[at++]; to[i + 2] = parts[at++]; }
        this.into(low, size);
    }

    // Of a live one: numbers, whose box is found first.
    placeNumbers(x) {
        const to = this.geometry.attributes.place.array, n = this.number, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
        for (let k = 0; k < 3 * n; k++) { const i = k % 3; if (x[k] < low[i]) low[i] = x[k]; if (x[k] > high[i]) high[i] = x[k]; }
        const size = low.map((a, i) => high[i] - a), scale = size.map((s) => (s > 0 ? 65535 / s : 0));
        for (let k = 0; k < n; k++) for (let i = 0; i < 3; i++) to[4 * k + i] = (x[3 * k + i] - low[i]) * scale[i] + 0.5;
        this.into(low, size);
    }

    into(low, size) {
        this.material.uniforms.low.value.fromArray(low);
        this.material.uniforms.extent.value.fromArray(size);
        this.geometry.attributes.place.needsUpdate = true;
    }
}
