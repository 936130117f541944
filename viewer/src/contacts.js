// Contact points, arrows for the forces on the second of each pair of geometries, friction cones, and
// the areas over which contacts press.
import * as THREE from "three";

import { Patches } from "./patches.js";

const STATES = ["apart", "stick", "slide"];
const UP = new THREE.Vector3(0, 0, 1);
const GRAVITY = 9.81; // m/s²
const HIGHEST_CONE = 0.15;

// An instanced mesh that makes room as it needs it.
class Marks {
  constructor(geometry, options = {}) {
    this.mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ transparent: true, depthTest: false, ...options }), 1);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
    this.mesh.setColorAt(0, new THREE.Color());
  }

  begin(count) {
    const { mesh } = this;
    if (count > mesh.instanceMatrix.count) {
      mesh.instanceMatrix = new THREE.InstancedBufferAttribute(new Float32Array(32 * count), 16);
      mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(6 * count), 3);
    }
    mesh.count = count;
  }

  set(i, matrix, colour) {
    matrix.toArray(this.mesh.instanceMatrix.array, 16 * i);
    colour.toArray(this.mesh.instanceColor.array, 3 * i);
  }

  end() {
    this.mesh.instanceMatrix.needsUpdate = this.mesh.instanceColor.needsUpdate = true;
  }
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

// The median of the forces that push; before there are any, half of a typical body's weight.
function typicalForce({ header, contacts }) {
  const sizes = [];
  if (!header.live)
    for (const { force } of contacts)
      for (let i = 0; i < force.length; i += 3) {
        const size = Math.hypot(force[i], force[i + 1], force[i + 2]);
        if (size > 0) sizes.push(size);
      }
  const masses = header.bodies.map(({ mass }) => mass).filter((mass) => mass > 0);
  return median(sizes) ?? (median(masses) ?? 1) * GRAVITY / 2;
}

export class Contacts {
  constructor(recording, size) {
    this.recording = recording;
    this.size = size;
    this.scale = (0.15 * size) / typicalForce(recording);
    this.stretch = 1;
    this.marks = {
      points: new Marks(new THREE.IcosahedronGeometry(0.012 * size, 1)),
      shafts: new Marks(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5)),
      heads: new Marks(new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5)),
      cones: new Marks(new THREE.ConeGeometry(1, 1, 24, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2),
        { opacity: 0.2, side: THREE.DoubleSide, depthWrite: false }),
    };
    this.points = this.marks.points.mesh;
    this.forces = new THREE.Group().add(this.marks.shafts.mesh, this.marks.heads.mesh);
    this.cones = this.marks.cones.mesh;
    this.cones.visible = false;
    this.patches = new Patches(recording.header.mostPressure);
  }

  setColours(style) {
    this.colours = STATES.map((name) => new THREE.Color(style(`--${name}`)));
  }

  // Of a pair of geometries, without priorities and values of its own, which recordings lack. Soft
  // bodies have numbers behind those of the geometries.
  frictionOf(geom1, geom2) {
    const { geoms, softs } = this.recording.header;
    const own = (index) => (geoms[index] ?? softs[index - geoms.length])?.friction ?? 0;
    return Math.max(own(geom1), own(geom2));
  }

  update(frame) {
    const contacts = this.recording.contacts[frame], { count, point, force, state } = contacts;
    const { points, shafts, heads, cones } = this.marks;
    const at = new THREE.Vector3(), along = new THREE.Vector3(), matrix = new THREE.Matrix4();
    for (const marks of Object.values(this.marks)) marks.begin(count);
    for (let i = 0; i < count; i++) {
      at.fromArray(point, 3 * i);
      along.fromArray(force, 3 * i);
      const colour = this.colours[along.lengthSq() > 0 ? state[i] : 0];
      points.set(i, matrix.makeTranslation(at), colour);
      if (this.cones.visible) this.placeCone(cones, i, at, along, contacts, colour);
      if (this.forces.visible) this.placeArrow(shafts, heads, i, at, along, colour);
    }
    for (const marks of Object.values(this.marks)) marks.end();
    if (this.patches.object.visible) this.patches.update(contacts.areas);
  }

  placeArrow(shafts, heads, i, at, along, colour) {
    const { turn, scale, matrix } = scratch;
    const length = Math.min(along.length() * this.scale * this.stretch, 2 * this.size);
    const width = length > 0 ? 0.006 * this.size : 0, head = Math.min(0.05 * this.size, 0.4 * length);
    turn.setFromUnitVectors(UP, along.normalize());
    shafts.set(i, matrix.compose(at, turn, scale.set(width, width, length - head)), colour);
    const tip = along.multiplyScalar(length - head).add(at);
    heads.set(i, matrix.compose(tip, turn, scale.set(0.4 * head, 0.4 * head, head)), colour);
  }

  // As high as the arrow's part along the normal, within measure: an arrow of a contact that slides
  // lies on it.
  placeCone(cones, i, at, along, { geoms, normal }, colour) {
    const { turn, scale, matrix, axis } = scratch;
    axis.fromArray(normal, 3 * i).normalize();
    const height = Math.min(Math.max(along.dot(axis), 0) * this.scale * this.stretch, HIGHEST_CONE * this.size);
    const width = height * this.frictionOf(geoms[2 * i], geoms[2 * i + 1]);
    turn.setFromUnitVectors(UP, axis);
    cones.set(i, matrix.compose(at, turn, scale.set(width, width, height)), colour);
  }
}

const scratch = {
  turn: new THREE.Quaternion(), scale: new THREE.Vector3(), matrix: new THREE.Matrix4(), axis: new THREE.Vector3(),
  colour: new THREE.Color(),
};
