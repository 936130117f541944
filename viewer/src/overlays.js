// Lines over the bodies: their frames, and the ways that they have come.
import * as THREE from "three";

const AXES = [[1, 0.25, 0.25], [0.2, 0.75, 0.2], [0.3, 0.45, 1]]; // x, y, z

export class Frames {
  constructor(count, length) {
    this.length = length;
    const geometry = new THREE.BufferGeometry();
    const colours = new Float32Array(count * 18);
    for (let i = 0; i < count * 6; i++) colours.set(AXES[Math.floor(i / 2) % 3], 3 * i);
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(count * 18), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const material = new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
    this.object = new THREE.LineSegments(geometry, material);
    this.object.frustumCulled = false;
    this.object.visible = false;
    this.object.renderOrder = 3;
  }

  update(matrices) {
    const position = this.object.geometry.getAttribute("position");
    const origin = new THREE.Vector3(), axis = new THREE.Vector3();
    matrices.forEach((matrix, body) => {
      origin.setFromMatrixPosition(matrix);
      for (let k = 0; k < 3; k++) {
        axis.setFromMatrixColumn(matrix, k).multiplyScalar(this.length).add(origin);
        position.setXYZ(6 * body + 2 * k, origin.x, origin.y, origin.z);
        position.setXYZ(6 * body + 2 * k + 1, axis.x, axis.y, axis.z);
      }
    });
    position.needsUpdate = true;
  }
}

// Trails of some bodies as one set of segments, frame by frame, so that those up to a frame are the
// first ones.
export class Trails {
  constructor(recording) {
    this.recording = recording;
    this.bodies = [];
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  // Of all bodies, or of one.
  choose(body) {
    const { header, count, poses } = this.recording, row = header.bodies.length * 7;
    this.bodies = body > 0 ? [body] : header.bodies.map((_, i) => i).slice(1);
    const points = new Float32Array(Math.max(count - 1, 0) * this.bodies.length * 6);
    let at = 0;
    for (let frame = 1; frame < count; frame++)
      for (const index of this.bodies)
        for (const from of [frame - 1, frame]) {
          const start = from * row + 7 * index;
          points.set(poses.subarray(start, start + 3), at);
          at += 3;
        }
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(points, 3));
  }

  update(frame) {
    this.object.geometry.setDrawRange(0, frame * this.bodies.length * 2);
  }
}
