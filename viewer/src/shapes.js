// Geometries of the model as instanced meshes: one draw for all that share a shape. Sizes of boxes,
// spheres, ellipsoids and cylinders are scales of unit shapes; capsules keep their own, for their
// ends, and meshes come from the recording.
import * as THREE from "three";

// Darkens every other sector, so that a round body is seen to turn.
function addSectors(geometry, sectorsOf) {
  const position = geometry.getAttribute("position");
  const colours = new Float32Array(position.count * 3);
  for (let i = 0; i < position.count; i += 3) {
    let x = 0, y = 0, z = 0;
    for (let k = i; k < i + 3; k++) x += position.getX(k), y += position.getY(k), z += position.getZ(k);
    colours.fill(sectorsOf(x, y, z) % 2 ? 0.72 : 1, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return geometry;
}

const quarter = (x, y) => (x > 0 ? 1 : 0) + (y > 0 ? 1 : 0);
const octant = (x, y, z) => quarter(x, y) + (z > 0 ? 1 : 0);
const plain = () => 0;

// Of three.js, whose cylinders stand along y.
const upright = (geometry) => geometry.rotateX(Math.PI / 2).toNonIndexed();

const ball = (n) => addSectors(new THREE.SphereGeometry(1, n, n / 2).rotateX(Math.PI / 2).toNonIndexed(), octant);

// Triangles that share no vertices, so that each is flat.
function makeSurface({ vertices, triangles }) {
  const corners = new Float32Array(3 * triangles.length);
  triangles.forEach((vertex, i) => {
    for (let k = 0; k < 3; k++) corners[3 * i + k] = vertices[3 * vertex + k];
  });
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return addSectors(geometry, plain);
}

// `n`: segments around; a multiple of 4, for the sectors.
const MAKERS = {
  sphere: ball,
  ellipsoid: ball,
  mesh: (n, size, surface) => makeSurface(surface),
  box: () => addSectors(new THREE.BoxGeometry(2, 2, 2).toNonIndexed(), plain),
  cylinder: (n) => addSectors(upright(new THREE.CylinderGeometry(1, 1, 2, n)), quarter),
  capsule: (n, [radius, half]) =>
    addSectors(upright(new THREE.CapsuleGeometry(radius, 2 * half, n / 4, n)), quarter),
};

const FINE = 32, COARSE = 16, MANY = 200; // segments of a few, of many bodies

const SCALES = {
  sphere: ([r]) => new THREE.Vector3(r, r, r),
  ellipsoid: ([x, y, z]) => new THREE.Vector3(x, y, z),
  mesh: () => new THREE.Vector3(1, 1, 1),
  box: ([x, y, z]) => new THREE.Vector3(x, y, z),
  cylinder: ([r, half]) => new THREE.Vector3(r, r, half),
  capsule: () => new THREE.Vector3(1, 1, 1),
};

// Distance from a geometry's origin within which it lies.
export function reach(geom) {
  const [a, b, c] = geom.size;
  if (geom.type === "ellipsoid") return Math.max(a, b, c);
  if (geom.type === "box" || geom.type === "mesh") return Math.hypot(a, b, c);
  if (geom.type === "cylinder") return Math.hypot(a, b);
  return geom.type === "capsule" ? a + b : a;
}

export function localMatrix(geom) {
  const [w, x, y, z] = geom.quaternion;
  const scale = geom.type === "plane" ? new THREE.Vector3(1, 1, 1) : SCALES[geom.type](geom.size);
  return new THREE.Matrix4().compose(
    new THREE.Vector3(...geom.position), new THREE.Quaternion(x, y, z, w), scale);
}

function keyOf(geom) {
  const own = { capsule: () => `${geom.size[0]} ${geom.size[1]}`, mesh: () => geom.mesh }[geom.type];
  const shape = own ? `${geom.type} ${own()}` : geom.type;
  return `${shape} ${geom.rgba[3]}`;
}

function makeMesh(geoms, segments, surfaces) {
  const opacity = geoms[0].rgba[3];
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true, roughness: 0.65, metalness: 0,
    transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
  });
  const mesh = new THREE.InstancedMesh(
    MAKERS[geoms[0].type](segments, geoms[0].size, surfaces[geoms[0].mesh]), material, geoms.length);
  mesh.frustumCulled = false;
  mesh.userData.geoms = geoms;
  geoms.forEach((geom, i) => mesh.setColorAt(i, new THREE.Color().setRGB(...geom.rgba.slice(0, 3), THREE.SRGBColorSpace)));
  return mesh;
}

// Meshes for all geometries but planes; `geoms` carry their index and local matrix, `surfaces` are
// the recording's meshes.
export function makeMeshes(geoms, surfaces) {
  const byKey = new Map();
  for (const geom of geoms) {
    if (geom.type === "plane" || geom.rgba[3] === 0) continue;
    const key = keyOf(geom);
    byKey.set(key, [...(byKey.get(key) ?? []), geom]);
  }
  const segments = geoms.length > MANY ? COARSE : FINE;
  return [...byKey.values()].map((alike) => makeMesh(alike, segments, surfaces));
}

// A round number near a length: 1, 2 or 5 times a power of ten.
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= length);
}

function gridLines(x, y, spacing) {
  const points = [];
  for (let i = -Math.floor(x / spacing); i <= x / spacing; i++) points.push(i * spacing, -y, 0, i * spacing, y, 0);
  for (let i = -Math.floor(y / spacing); i <= y / spacing; i++) points.push(-x, i * spacing, 0, x, i * spacing, 0);
  points.push(-x, -y, 0, x, -y, 0, x, -y, 0, x, y, 0, x, y, 0, -x, y, 0, -x, y, 0, -x, -y, 0);
  return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
}

// A plane: a sheet in its colour with a grid. Endless ones reach well past the scene.
export function makePlane(geom, radius) {
  const [x, y] = [0, 1].map((k) => Math.min(geom.size[k] || 6 * radius, 60 * radius));
  const group = new THREE.Group();
  const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2 * x, 2 * y), new THREE.MeshStandardMaterial({
    color: new THREE.Color().setRGB(...geom.rgba.slice(0, 3), THREE.SRGBColorSpace), side: THREE.DoubleSide, roughness: 1,
    transparent: true, opacity: 0.45 * geom.rgba[3], depthWrite: false,
    polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2,
  }));
  const spacing = Math.max(roundLength(radius / 4), x / 100, y / 100);
  const lines = new THREE.LineSegments(gridLines(x, y, spacing), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.5 }));
  sheet.renderOrder = -2;
  lines.renderOrder = -1;
  group.add(sheet, lines);
  group.matrixAutoUpdate = false;
  group.userData = { geom, lines };
  return group;
}
