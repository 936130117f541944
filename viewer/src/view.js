// The scene: bodies at a moment, camera, picking.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Contacts } from "./contacts.js";
import { Centres, Frames, JointAxes, Springs, Trails } from "./overlays.js";
import { Softs } from "./softs.js";
import { localMatrix, makeMeshes, makePlane, reach } from "./shapes.js";

const CHOSEN = new THREE.Color(0xffd400);

export class View {
  constructor(canvas, recording) {
    this.canvas = canvas;
    this.recording = recording;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.scene = new THREE.Scene();
    this.matrices = recording.header.bodies.map(() => new THREE.Matrix4());
    this.chosen = 0;
    this.isStale = true;
    this.measure();
    this.addLights();
    this.addBodies();
    this.addOverlays();
    this.addCamera();
  }

  // --- Making --------------------------------------------------------------------------------

  // Middle and radius of what the first frame shows.
  measure() {
    const box = new THREE.Box3();
    this.placeBodies(0, 0);
    this.softs = new Softs(this.recording);
    this.geoms = this.recording.header.geoms.map((geom, index) => ({ ...geom, index, local: localMatrix(geom) }));
    for (const geom of this.geoms) {
      if (geom.type === "plane") continue;
      const middle = new THREE.Vector3(...geom.position).applyMatrix4(this.matrices[geom.body]);
      box.expandByPoint(middle.clone().addScalar(reach(geom)));
      box.expandByPoint(middle.addScalar(-reach(geom)));
    }
    const reaches = this.geoms.filter((geom) => geom.body > 0 && geom.type !== "plane").map(reach);
    this.softs.measure(0, box, reaches);
    if (box.isEmpty()) for (const matrix of this.matrices) box.expandByPoint(new THREE.Vector3().setFromMatrixPosition(matrix));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    this.centre = sphere.center;
    this.radius = Math.max(sphere.radius, 1e-3);
    reaches.sort((a, b) => a - b);
    // What points, arrows and axes are drawn to: the scene, or a few bodies of a large one.
    this.markSize = Math.min(this.radius, 6 * (reaches[reaches.length >> 1] ?? this.radius));
  }

  addLights() {
    const sun = new THREE.DirectionalLight(0xffffff, 2);
    sun.position.set(0.4, -0.7, 1);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x777788, 1.6), sun);
  }

  addBodies() {
    this.meshes = makeMeshes(this.geoms, this.recording.header.meshes);
    this.planes = this.geoms.filter((geom) => geom.type === "plane" && geom.rgba[3] > 0)
      .map((geom) => makePlane(geom, this.radius));
    this.showsGroups = false;
    this.scene.add(...this.meshes, ...this.planes, ...this.softs.meshes);
  }

  addOverlays() {
    this.contacts = new Contacts(this.recording, this.markSize);
    this.frames = new Frames(this.matrices.length, 0.2 * this.markSize);
    this.trails = new Trails(this.recording);
    this.axes = new JointAxes(this.recording, 0.15 * this.markSize);
    this.centres = new Centres(this.recording, this.markSize);
    this.springs = new Springs(this.recording);
    const { points, forces, cones, patches } = this.contacts;
    const overlays = [this.frames, this.trails, this.axes, this.centres, this.springs].map(({ object }) => object);
    this.scene.add(points, forces, cones, patches.object, ...overlays);
  }

  addCamera() {
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.005 * this.radius, 400 * this.radius);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => { this.isStale = true; });
    this.resetCamera();
  }

  resetCamera() {
    this.controls.target.copy(this.centre);
    this.camera.position.set(0.9, -1.9, 1.1).normalize().multiplyScalar(2.7 * this.radius).add(this.centre);
    this.controls.update();
  }

  // Turns about the target by angles, and comes nearer by a factor.
  moveCamera(aside, up, nearer = 1) {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const polar = new THREE.Spherical().setFromVector3(new THREE.Vector3(arm.x, arm.z, -arm.y));
    polar.theta += aside;
    polar.phi = Math.min(Math.max(polar.phi - up, 0.01), Math.PI - 0.01);
    polar.radius *= nearer;
    const turned = new THREE.Vector3().setFromSpherical(polar);
    this.camera.position.set(turned.x, -turned.z, turned.y).add(this.controls.target);
    this.controls.update();
    this.isStale = true;
  }

  // --- A moment ------------------------------------------------------------------------------

  // Poses between two frames: positions linear, quaternions on the shorter way.
  placeBodies(frame, fraction) {
    const { poses, header, count } = this.recording, row = 7 * header.bodies.length;
    const from = frame * row, to = Math.min(frame + 1, count - 1) * row;
    const a = new THREE.Vector3(), b = new THREE.Vector3(), p = new THREE.Quaternion(), q = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    const turn = (at, result) => result.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]).normalize();
    this.matrices.forEach((matrix, body) => {
      a.fromArray(poses, from + 7 * body).lerp(b.fromArray(poses, to + 7 * body), fraction);
      turn(from + 7 * body, p).slerp(turn(to + 7 * body, q), fraction);
      matrix.compose(a, p, one);
    });
  }

  showGroups(isShown) {
    this.showsGroups = isShown;
    this.softs.showGroups(isShown);
  }

  isShown(geom) {
    return this.showsGroups || geom.group < 3;
  }

  placeMesh(mesh) {
    const matrix = new THREE.Matrix4();
    mesh.userData.geoms.forEach((geom, i) => {
      matrix.multiplyMatrices(this.matrices[geom.body], geom.local);
      if (!this.isShown(geom)) matrix.makeScale(0, 0, 0);
      mesh.setMatrixAt(i, matrix);
    });
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
  }

  show(frame, fraction) {
    this.placeBodies(frame, fraction);
    this.meshes.forEach((mesh) => this.placeMesh(mesh));
    for (const plane of this.planes) {
      const { geom } = plane.userData;
      plane.matrix.multiplyMatrices(this.matrices[geom.body], geom.local);
    }
    this.softs.update(frame, fraction);
    this.contacts.update(frame);
    if (this.frames.object.visible) this.frames.update(this.matrices);
    if (this.axes.object.visible) this.axes.update(this.matrices, frame);
    if (this.centres.object.visible) this.centres.update(this.matrices, frame, this.chosen);
    this.springs.update(frame);
    this.trails.update(frame);
    this.isStale = true;
  }

  // --- Choosing ------------------------------------------------------------------------------

  choose(body) {
    this.chosen = body;
    for (const mesh of this.meshes) {
      mesh.userData.geoms.forEach((geom, i) => {
        const colour = new THREE.Color().setRGB(...geom.rgba.slice(0, 3), THREE.SRGBColorSpace);
        mesh.setColorAt(i, body > 0 && geom.body === body ? colour.lerp(CHOSEN, 0.6) : colour);
      });
      mesh.instanceColor.needsUpdate = true;
    }
    if (this.trails.object.visible) this.trails.choose(body);
    this.isStale = true;
  }

  setTrails(isVisible) {
    this.trails.object.visible = isVisible;
    if (isVisible) this.trails.choose(this.chosen);
    this.isStale = true;
  }

  rayAt(x, y) {
    const place = this.canvas.getBoundingClientRect();
    const ray = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * (x - place.left)) / place.width - 1, 1 - (2 * (y - place.top)) / place.height);
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  // What is under a point of the page: a body, and where, in the world; null: none, or the world.
  // What the world has that can be seen through does not hide a body; soft bodies do.
  hit(x, y) {
    const bodyOf = ({ object, instanceId }) => object.userData.geoms?.[instanceId].body ?? 0;
    const softs = this.softs.meshes.filter((mesh) => mesh.visible);
    const hits = this.rayAt(x, y).intersectObjects([...this.meshes, ...softs], false);
    const hit = hits.find((each) => bodyOf(each) > 0 || !each.object.material.transparent);
    return hit && bodyOf(hit) > 0 ? { body: bodyOf(hit), point: hit.point } : null;
  }

  pick(x, y) {
    return this.hit(x, y)?.body ?? 0;
  }

  // A place in the world in a body's frame.
  toBody(body, point) {
    return point.clone().applyMatrix4(this.matrices[body].clone().invert());
  }

  // Where a point of the page is on a plane through `point` that faces the camera.
  onPlane(x, y, point) {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), point);
    return this.rayAt(x, y).ray.intersectPlane(plane, new THREE.Vector3());
  }

  // Where a body is shown: in the world, and on the page. For tests.
  positionOf(body) {
    return new THREE.Vector3().setFromMatrixPosition(this.matrices[body]).toArray();
  }

  projectionOf(body) {
    return this.projectionOfPoint(new THREE.Vector3().setFromMatrixPosition(this.matrices[body]));
  }

  projectionOfPoint({ x, y, z }) {
    const place = this.canvas.getBoundingClientRect();
    const point = new THREE.Vector3(x, y, z).project(this.camera);
    return [place.left + ((point.x + 1) / 2) * place.width, place.top + ((1 - point.y) / 2) * place.height];
  }

  // --- Drawing -------------------------------------------------------------------------------

  setColours(style) {
    this.scene.background = new THREE.Color(style("--scene"));
    this.planes.forEach((plane) => plane.userData.lines.material.color.set(style("--grid")));
    this.trails.object.material.color.set(style("--accent"));
    this.contacts.setColours(style);
    this.isStale = true;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  render() {
    if (!this.isStale) return;
    this.isStale = false;
    this.renderer.render(this.scene, this.camera);
  }
}
