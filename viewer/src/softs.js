// Soft bodies: their surfaces, placed anew for every moment, in the colours of von Mises' stress or
// their own.
import * as THREE from "three";

const WITHIN = 0.99; // of the nodes of surfaces are within the range of a simulation's colours
const ROUND = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

// The round number at or above a stress.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ROUND.find((factor) => factor * power >= value * (1 - 1e-12));
}

// A stress in words, in a unit that leaves few digits.
export function stressText(value) {
  const units = ["Pa", "kPa", "MPa", "GPa"];
  const unit = Math.min(Math.max(Math.floor(Math.log10(Math.max(Math.abs(value), 1)) / 3), 0), 3);
  return `${Number((value / 1000 ** unit).toPrecision(3))} ${units[unit]}`;
}

export class Softs {
  constructor(recording) {
    this.recording = recording;
    this.infos = recording.header.softs;
    this.most = recording.header.stressMost; // Pa, at the end of the colours
    this.isChosen = false;                   // by whoever looks
    this.byStress = true;
    this.seen = -1; // frames that the range was taken from
    this.colours = this.linearColours();
    this.meshes = this.infos.map((info) => this.makeMesh(info));
  }

  // Colours are given as they look, and mixed as light.
  linearColours() {
    const { stressColours } = this.recording.header, colour = new THREE.Color();
    return Float32Array.from({ length: stressColours.length }, (_, i) => {
      if (i % 3 === 0) colour.setRGB(...stressColours.slice(i, i + 3), THREE.SRGBColorSpace);
      return [colour.r, colour.g, colour.b][i % 3];
    });
  }

  makeMesh(info) {
    const [red, green, blue, opacity] = info.rgba, count = 3 * info.vertices.length;
    const geometry = new THREE.BufferGeometry();
    for (const name of ["position", "normal", "color"])
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(count), 3));
    geometry.setIndex(info.triangles);
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({
      vertexColors: true, roughness: 0.65, metalness: 0,
      transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
    }));
    mesh.frustumCulled = false;
    mesh.visible = opacity > 0 && info.group < 3;
    mesh.userData = { info, own: new THREE.Color().setRGB(red, green, blue, THREE.SRGBColorSpace) };
    return mesh;
  }

  // Takes the box about all surfaces at a frame in; adds half its diagonal for each.
  measure(frame, box, reaches) {
    this.infos.forEach(({ nodes }, i) => {
      const places = this.recording.softs[i].places.subarray(3 * frame * nodes, 3 * (frame + 1) * nodes);
      const own = new THREE.Box3().setFromArray(places);
      if (own.isEmpty()) return;
      box.union(own);
      reaches.push(own.getSize(new THREE.Vector3()).length() / 2);
    });
  }

  showGroups(isShown) {
    this.meshes.forEach((mesh) => {
      const { group, rgba } = mesh.userData.info;
      mesh.visible = rgba[3] > 0 && (isShown || group < 3);
    });
  }

  // Of a simulation that goes on the range grows with what there was.
  widen(frame) {
    const { header } = this.recording;
    if (!header.live || this.isChosen || !this.infos.length) return;
    const all = this.infos.flatMap(({ nodes }, i) =>
      Array.from(this.recording.softs[i].stress.subarray(frame * nodes, (frame + 1) * nodes)));
    const sorted = Float32Array.from(all.filter(Number.isFinite)).sort();
    const high = sorted[Math.floor(WITHIN * (sorted.length - 1))] ?? 0;
    if (high > this.most) this.most = roundUp(high);
  }

  // Stresses from 0 to `most` as parts of the colours.
  setColour(target, at, stress) {
    const last = this.colours.length / 3 - 1;
    const place = last * Math.min(Math.max(Number.isNaN(stress) ? 1 : stress / this.most, 0), 1);
    const step = Math.min(Math.floor(place), last - 1), rest = place - step;
    for (let k = 0; k < 3; k++) {
      const low = this.colours[3 * step + k];
      target[at + k] = low + rest * (this.colours[3 * step + 3 + k] - low);
    }
  }

  update(frame, fraction) {
    this.widen(frame);
    const next = Math.min(frame + 1, this.recording.count - 1);
    this.meshes.forEach((mesh, i) => { if (mesh.visible) this.place(mesh, this.recording.softs[i], frame, next, fraction); });
  }

  // Nodes go straight from frame to frame, and stresses evenly.
  place(mesh, { places, stress }, frame, next, fraction) {
    const { info, own } = mesh.userData, from = frame * info.nodes, to = next * info.nodes;
    const { position, color } = mesh.geometry.attributes;
    info.vertices.forEach((node, vertex) => {
      const a = 3 * (from + node), b = 3 * (to + node);
      for (let k = 0; k < 3; k++)
        position.array[3 * vertex + k] = places[a + k] + fraction * (places[b + k] - places[a + k]);
      const low = stress[from + node];
      if (this.byStress) this.setColour(color.array, 3 * vertex, low + fraction * (stress[to + node] - low));
      else own.toArray(color.array, 3 * vertex);
    });
    position.needsUpdate = color.needsUpdate = true;
    mesh.geometry.computeVertexNormals();
    mesh.geometry.boundingSphere = null;
  }
}
