// Dragging bodies of a live simulation: the mouse holds one end of a spring. A press that does not
// move chooses, as elsewhere; one beside all bodies turns the camera.

const STILL = 4; // pixels

export class Drag {
  // @param pull called with body, point in its frame, target in the world
  // @param release called when the mouse lets go
  constructor(view, pull, release) {
    this.view = view;
    this.pull = pull;
    this.release = release;
    this.held = null;
    const { canvas } = view;
    // Before the camera's own listeners.
    canvas.parentElement.addEventListener("pointerdown", (event) => this.press(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(name, (event) => this.letGo(event));
  }

  press(event) {
    if (event.target !== this.view.canvas || event.button !== 0 || this.held) return;
    const hit = this.view.hit(event.clientX, event.clientY);
    if (!hit) return;
    this.held = { ...hit, id: event.pointerId, local: this.view.toBody(hit.body, hit.point), from: [event.clientX, event.clientY], isMoving: false };
    this.view.controls.enabled = false;
    this.view.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { held } = this;
    if (!held || held.id !== event.pointerId) return;
    held.isMoving ||= Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) >= STILL;
    const target = this.view.onPlane(event.clientX, event.clientY, held.point);
    if (held.isMoving && target) this.pull(held.body, held.local.toArray(), target.toArray());
  }

  letGo(event) {
    if (!this.held || this.held.id !== event.pointerId) return;
    if (this.held.isMoving) this.release();
    this.held = null;
    this.view.controls.enabled = true;
  }
}
