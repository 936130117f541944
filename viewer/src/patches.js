// The areas over which contacts press, as triangles: from blue, where nothing presses, over green to
// red at the largest pressure, of a simulation that goes on at the largest so far.
import * as THREE from "three";

export class Patches {
  // @param most the largest pressure, Pa
  constructor(most) {
    this.most = most;
    this.object = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial(
      { vertexColors: true, transparent: true, opacity: 0.85, side: THREE.DoubleSide, depthTest: false, depthWrite: false }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
    this.object.visible = false;
  }

  update({ place, pressure }) {
    const colours = new Float32Array(place.length), colour = new THREE.Color();
    for (const value of pressure) this.most = Math.max(this.most, value);
    pressure.forEach((value, i) => {
      const share = this.most > 0 ? Math.max(value / this.most, 0) : 0;
      colour.setHSL((1 - share) * 2 / 3, 0.9, 0.5).toArray(colours, 3 * i);
    });
    const { geometry } = this.object;
    geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  }
}
