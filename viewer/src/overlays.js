// Lines over the bodies: their frames, the ways that they have come, the axes of joints, springs that
// pull at them; and centres of mass.
import * as THREE from "three";

const LIVE_TRAIL = 300; // frames
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
    this.first = 0;
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  // Of all bodies, or of one. Of a simulation that goes on: of its last frames.
  choose(body) {
    const { header, count, poses } = this.recording, row = header.bodies.length * 7;
    this.bodies = body > 0 ? [body] : header.bodies.map((_, i) => i).slice(1);
    this.first = header.live ? Math.max(0, count - LIVE_TRAIL) : 0;
    const points = new Float32Array(Math.max(count - this.first - 1, 0) * this.bodies.length * 6);
    let at = 0;
    for (let frame = this.first + 1; frame < count; frame++)
      for (const index of this.bodies)
        for (const from of [frame - 1, frame]) {
          const start = from * row + 7 * index;
          points.set(poses.subarray(start, start + 3), at);
          at += 3;
        }
    this.object.geometry.dispose();
    this.object.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(points, 3));
  }

  // Takes in what a recording has grown by.
  grow(body) {
    if (this.object.visible) this.choose(body);
  }

  update(frame) {
    this.object.geometry.setDrawRange(0, Math.max(frame - this.first, 0) * this.bodies.length * 2);
  }
}

// Segments whose ends are set anew each time, all over the bodies.
class Segments {
  constructor(colour) {
    this.object = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: colour, depthTest: false, transparent: true }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
    this.room = -1;
  }

  // Ends as one list of coordinates.
  set(coordinates) {
    const { geometry } = this.object;
    if (coordinates.length > this.room) {
      this.room = 2 * coordinates.length + 6;
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(this.room), 3));
    }
    const position = geometry.getAttribute("position");
    position.array.set(coordinates);
    position.needsUpdate = true;
    geometry.setDrawRange(0, coordinates.length / 3);
  }
}

// Springs by which bodies are dragged: the newest only.
export class Springs extends Segments {
  constructor(recording) {
    super(0xff00c8);
    this.recording = recording;
  }

  update(frame) {
    const springs = frame === this.recording.count - 1 ? this.recording.springs ?? [] : [];
    this.set(springs.flatMap(([point, target]) => [...point, ...target]));
  }
}

// Axes of hinges and slides; a cross at ball joints.
export class JointAxes extends Segments {
  constructor(recording, length) {
    super(0xd946ef);
    this.recording = recording;
    this.length = length;
    this.object.visible = false;
    this.joints = recording.header.joints.map((joint, index) => ({ ...joint, index, anchor: new THREE.Vector3(...joint.anchor), axis: new THREE.Vector3(...joint.axis) }));
    this.channelOf = new Map(recording.header.channels.map((channel, i) => [`${channel.of} ${channel.joint} ${channel.component}`, i]));
  }

  coordinate(joint, component, frame) {
    return this.recording.channels[this.channelOf.get(`q ${joint.index} ${component}`)].values[frame];
  }

  // What the joint does to the body's frame. Joints act one after the other, each in the frame that
  // those before it leave.
  motion(joint, frame) {
    const turn = new THREE.Matrix4(), moved = this.coordinate(joint, 0, frame) - joint.reference;
    if (joint.type === "slide") return turn.makeTranslation(joint.axis.clone().multiplyScalar(moved));
    if (joint.type === "hinge") turn.makeRotationAxis(joint.axis, moved);
    else {
      const [w, x, y, z] = [0, 1, 2, 3].map((k) => this.coordinate(joint, k, frame));
      turn.makeRotationFromQuaternion(new THREE.Quaternion(x, y, z, w).normalize());
    }
    const there = new THREE.Matrix4().makeTranslation(joint.anchor);
    return there.multiply(turn).multiply(new THREE.Matrix4().makeTranslation(joint.anchor.clone().negate()));
  }

  update(matrices, frame) {
    const ends = [], frames = new Map(), at = new THREE.Vector3(), along = new THREE.Vector3();
    for (const joint of [...this.joints].reverse()) {
      if (joint.type === "free") continue;
      const matrix = frames.get(joint.body) ?? matrices[joint.body].clone();
      at.copy(joint.anchor).applyMatrix4(matrix);
      const axes = joint.type === "ball" ? [[1, 0, 0], [0, 1, 0], [0, 0, 1]] : [joint.axis.toArray()];
      for (const axis of axes) {
        along.fromArray(axis).transformDirection(matrix).multiplyScalar(joint.type === "ball" ? 0.3 * this.length : this.length);
        ends.push(...at.clone().sub(along), ...at.clone().add(along));
      }
      frames.set(joint.body, matrix.multiply(this.motion(joint, frame).invert()));
    }
    this.set(ends);
  }
}

// The centre of mass of everything, and that of the chosen body, as crosses in rings.
export class Centres {
  constructor(recording, size) {
    this.recording = recording;
    this.object = new THREE.Group();
    const marks = [0xffd400, 0xffffff].map((colour) => {
      const solid = new THREE.OctahedronGeometry(0.03 * size);
      const mark = new THREE.Mesh(solid, new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }));
      mark.add(new THREE.LineSegments(new THREE.EdgesGeometry(solid), new THREE.LineBasicMaterial({ color: 0x000000, depthTest: false, transparent: true })));
      mark.renderOrder = 4;
      mark.children[0].renderOrder = 5;
      return mark;
    });
    [this.whole, this.own] = marks;
    this.object.add(...marks);
    this.object.visible = false;
  }

  update(matrices, frame, chosen) {
    const { figures, header } = this.recording;
    this.whole.position.set(figures.comX[frame], figures.comY[frame], figures.comZ[frame]);
    this.whole.visible = Number.isFinite(figures.comX[frame]);
    this.own.visible = chosen > 0 && header.bodies[chosen].com.every(Number.isFinite);
    if (this.own.visible) this.own.position.fromArray(header.bodies[chosen].com).applyMatrix4(matrices[chosen]);
  }
}
