// Contact points, and arrows for the forces on the second of each pair of geometries.
import * as THREE from "three";

const STATES = ["apart", "stick", "slide"];
const UP = new THREE.Vector3(0, 0, 1);

function instanced(geometry, count) {
  const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial(), Math.max(count, 1));
  mesh.frustumCulled = false;
  mesh.setColorAt(0, new THREE.Color());
  return mesh;
}

// The median of the forces that push.
function typicalForce(recording) {
  const sizes = [];
  for (const { force } of recording.contacts)
    for (let i = 0; i < force.length; i += 3) {
      const size = Math.hypot(force[i], force[i + 1], force[i + 2]);
      if (size > 0) sizes.push(size);
    }
  return sizes.length ? sizes.sort((a, b) => a - b)[sizes.length >> 1] : 1;
}

export class Contacts {
  constructor(recording, size) {
    this.recording = recording;
    this.size = size;
    this.scale = (0.15 * size) / typicalForce(recording);
    this.stretch = 1;
    const most = recording.contacts.reduce((largest, { count }) => Math.max(largest, count), 0);
    this.points = instanced(new THREE.SphereGeometry(0.012 * size, 12, 8), most);
    this.shafts = instanced(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), most);
    this.heads = instanced(new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), most);
    for (const mesh of [this.points, this.shafts, this.heads]) {
      mesh.material.depthTest = false;
      mesh.material.transparent = true;
      mesh.renderOrder = 2;
    }
    this.forces = new THREE.Group().add(this.shafts, this.heads);
  }

  setColours(style) {
    this.colours = STATES.map((name) => new THREE.Color(style(`--${name}`)));
  }

  update(frame) {
    const { count, point, force, state } = this.recording.contacts[frame];
    const at = new THREE.Vector3(), along = new THREE.Vector3();
    for (let i = 0; i < count; i++) {
      at.fromArray(point, 3 * i);
      along.fromArray(force, 3 * i);
      const colour = this.colours[along.lengthSq() > 0 ? state[i] : 0];
      this.points.setMatrixAt(i, new THREE.Matrix4().setPosition(at));
      this.placeArrow(i, at, along);
      for (const mesh of [this.points, this.shafts, this.heads]) mesh.setColorAt(i, colour);
    }
    for (const mesh of [this.points, this.shafts, this.heads]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
    }
  }

  placeArrow(i, at, along) {
    const length = Math.min(along.length() * this.scale * this.stretch, 2 * this.size);
    const width = length > 0 ? 0.006 * this.size : 0, head = Math.min(0.05 * this.size, 0.4 * length);
    const turn = new THREE.Quaternion().setFromUnitVectors(UP, along.normalize());
    const scale = new THREE.Vector3(width, width, length - head);
    this.shafts.setMatrixAt(i, new THREE.Matrix4().compose(at, turn, scale));
    const tip = along.multiplyScalar(length - head).add(at);
    scale.set(0.4 * head, 0.4 * head, head);
    this.heads.setMatrixAt(i, new THREE.Matrix4().compose(tip, turn, scale));
  }
}
