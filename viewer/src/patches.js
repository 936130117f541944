// The areas over which contacts press, coloured by pressure: between the points of a patch, which
// follow each other in a frame and have one normal, as triangles. Points that stand for an area hold
// the corners of their patch; where they do not (those of a pressure field), they are moved away from
// the middle until what they span is as large as what they stand for.
import * as THREE from "three";

const SAME_NORMAL = 1 - 1e-4; // cosine; normals of pages are rounded
const MOST_STRETCH = 2;
const THINNEST = 1e-6; // of the square of a length: the area of what is a line

const turn = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

// Whether d is within the circle through the corners of a triangle that runs counterclockwise.
function isWithin(a, b, c, d) {
  const rows = [a, b, c].map(({ x, y }) => [x - d.x, y - d.y, (x - d.x) ** 2 + (y - d.y) ** 2]);
  const [p, q, r] = rows;
  const size = p[2] * q[2] * r[2];
  return p[0] * (q[1] * r[2] - r[1] * q[2]) - p[1] * (q[0] * r[2] - r[0] * q[2]) + p[2] * (q[0] * r[1] - r[0] * q[1]) > 1e-9 * Math.sqrt(size);
}

// Turns diagonals of two triangles until no triangle's circle has another point in it.
function flip(points, triangles) {
  for (let round = 0, isDone = false; round < 20 && !isDone; round++) {
    isDone = true;
    for (let i = 0; i < triangles.length; i++)
      for (let j = i + 1; j < triangles.length; j++) {
        const [t, u] = [triangles[i], triangles[j]];
        const k = t.findIndex((corner) => !u.includes(corner)), l = u.findIndex((corner) => !t.includes(corner));
        if (u.filter((corner) => t.includes(corner)).length !== 2) continue;
        const [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]], d = u[l];
        if (!isWithin(points[a], points[b], points[c], points[d])) continue;
        if (!(turn(points[a], points[b], points[d]) > 0 && turn(points[a], points[d], points[c]) > 0)) continue;
        [triangles[i], triangles[j]] = [[a, b, d], [a, d, c]];
        isDone = false;
      }
  }
}

// Triangles between points of a plane, and the hull around them: from left to right, each point sees
// sides of what is before it. Exported for tests.
export function triangulate(points) {
  const order = points.map((_, i) => i).sort((i, j) => points[i].x - points[j].x || points[i].y - points[j].y);
  let hull = order.slice(0, 1);
  const triangles = [];
  for (const p of order.slice(1)) {
    const seen = hull.map((a, i) => turn(points[a], points[hull[(i + 1) % hull.length]], points[p]) < 0);
    hull.forEach((a, i) => { if (seen[i]) triangles.push([hull[(i + 1) % hull.length], a, p]); });
    const first = seen.findIndex((sees, i) => sees && !seen[(i + hull.length - 1) % hull.length]);
    if (first < 0) {
      hull = hull.length < 3 ? [hull[0], p] : hull;
      continue;
    }
    const kept = [];
    for (let i = 1; i <= hull.length; i++) {
      const at = (first + i) % hull.length;
      if (!seen[(at + hull.length - 1) % hull.length] || !seen[at]) kept.push(hull[at]);
    }
    hull = [p, ...kept];
  }
  flip(points, triangles);
  return { triangles, hull };
}

const areaOf = (points, hull) => hull.reduce((sum, a, i) => {
  const p = points[a], q = points[hull[(i + 1) % hull.length]];
  return sum + (p.x * q.y - p.y * q.x) / 2;
}, 0);

// Groups of contacts: [first, end) of each patch.
function* findPatches({ count, geoms, normal, area }) {
  const isSame = (i, j) => geoms[2 * i] === geoms[2 * j] && geoms[2 * i + 1] === geoms[2 * j + 1] &&
    normal[3 * i] * normal[3 * j] + normal[3 * i + 1] * normal[3 * j + 1] + normal[3 * i + 2] * normal[3 * j + 2] > SAME_NORMAL;
  for (let first = 0; first < count;) {
    let end = first + 1;
    while (end < count && area[first] > 0 && area[end] > 0 && isSame(first, end)) end++;
    if (end - first > 2) yield [first, end];
    first = end;
  }
}

export class Patches {
  constructor() {
    this.object = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial(
      { vertexColors: true, transparent: true, opacity: 0.85, side: THREE.DoubleSide, depthTest: false, depthWrite: false }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
    this.object.visible = false;
  }

  // @param colourOf receives a colour and the number of a contact
  update(contacts, colourOf) {
    const places = [], colours = [], corners = [], colour = new THREE.Color();
    for (const [first, end] of findPatches(contacts)) {
      const start = places.length / 3, { spots, triangles } = this.lay(contacts, first, end);
      if (!triangles.length) continue;
      spots.forEach((spot, i) => {
        places.push(spot.x, spot.y, spot.z);
        colourOf(colour, first + i).toArray(colours, colours.length);
      });
      for (const triangle of triangles) corners.push(...triangle.map((corner) => start + corner));
    }
    const { geometry } = this.object;
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
    geometry.setIndex(corners);
  }

  // Where the points of a patch are drawn, and the triangles between them.
  lay({ point, normal, area }, first, end) {
    const n = new THREE.Vector3().fromArray(normal, 3 * first).normalize();
    const u = new THREE.Vector3(Math.abs(n.x) < 0.7 ? 1 : 0, Math.abs(n.x) < 0.7 ? 0 : 1, 0).cross(n).normalize();
    const v = new THREE.Vector3().crossVectors(n, u), middle = new THREE.Vector3(), spots = [];
    let whole = 0;
    for (let i = first; i < end; i++) {
      spots.push(new THREE.Vector3().fromArray(point, 3 * i));
      middle.addScaledVector(spots.at(-1), area[i]);
      whole += area[i];
    }
    middle.divideScalar(whole);
    const flat = spots.map((spot) => ({ x: u.dot(spot) - u.dot(middle), y: v.dot(spot) - v.dot(middle) }));
    const { triangles, hull } = triangulate(flat);
    const spanned = areaOf(flat, hull), length = Math.max(...flat.map(({ x, y }) => Math.hypot(x, y)));
    if (!(spanned > THINNEST * length ** 2)) return { spots, triangles: [] };
    const stretch = Math.min(Math.max(Math.sqrt(whole / spanned), 1), MOST_STRETCH);
    spots.forEach((spot) => spot.sub(middle).multiplyScalar(stretch).add(middle));
    return { spots, triangles };
  }
}
