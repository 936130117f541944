// A simulation that goes on: what it tells goes into the history, what is asked of it into messages.
import { Drag } from "./drag.js";
import { Link } from "./link.js";

const SCHEMES = ["explicit", "symplectic", "implicit", "midpoint"];
const FRICTIONS = ["coulomb", "convex", "lagged", "anchored"];
const GRAVITY = ["gravity-x", "gravity-y", "gravity-z"];
const KEPT = "carom view"; // in the session's storage, over a reload

const $ = (id) => document.getElementById(id);

export class Simulation {
  // @param page whose recording is a History
  constructor(page) {
    this.page = page;
    this.state = { playing: false, speed: 1 };
    this.follows = true;
    this.serial = null; // of a frame that is not drawn yet
    this.pull = null;   // where the mouse pulls to, not sent yet
    this.fill();
    this.restore();
    if (page.view) this.drag = new Drag(page.view, (...pull) => { this.pull = pull; }, () => this.release());
    this.link = new Link({
      frame: (buffer) => this.take(buffer),
      state: (state) => this.show(state),
      error: (text) => page.tell(text),
      change: (isOpen) => this.change(isOpen),
    });
  }

  fill() {
    $("live").hidden = false;
    $("loop").parentElement.hidden = true;
    for (const word of SCHEMES) $("live-scheme").append(new Option(word));
    for (const word of FRICTIONS) $("live-friction").append(new Option(word));
    for (const id of GRAVITY) $(id).addEventListener("change", () => this.set({ gravity: GRAVITY.map((each) => $(each).valueAsNumber) }));
    $("live-dt").addEventListener("change", () => this.set({ dt: $("live-dt").valueAsNumber }));
    $("live-scheme").addEventListener("change", () => this.set({ scheme: $("live-scheme").value }));
    $("live-friction").addEventListener("change", () => this.set({ friction: $("live-friction").value }));
    $("live-reset").addEventListener("click", () => this.ask({ do: "reset" }));
  }

  // --- Asking ----------------------------------------------------------------------------------

  ask(message) {
    this.page.tell("");
    this.link.send(message);
  }

  set(options) {
    this.ask({ do: "set", ...options });
  }

  get isPlaying() { return this.state.playing; }

  toggle() {
    this.follow();
    this.ask({ do: this.isPlaying ? "pause" : "play" });
  }

  // A frame on in what is kept, or a step.
  forward() {
    if (!this.follows) return this.browse(() => this.page.player.step(1));
    return this.ask({ do: "step" });
  }

  setSpeed(factor) {
    this.ask({ do: "speed", factor });
  }

  release() {
    this.pull = null;
    this.link.send({ do: "release" });
  }

  // --- What is shown ---------------------------------------------------------------------------

  // Goes to a frame that is kept; the newest one is followed.
  browse(move) {
    const { player } = this.page;
    this.follows = false;
    move();
    this.follows = player.time >= player.end;
  }

  follow() {
    this.follows = true;
    this.page.player.seek(this.page.player.end);
  }

  take(buffer) {
    try {
      this.serial = this.page.recording.push(buffer);
    } catch (error) {
      this.page.tell(error.message);
    }
  }

  // Called as often as the screen draws. A server waits for what was drawn before it sends more.
  draw() {
    if (this.pull) {
      const [body, point, target] = this.pull;
      this.link.send({ do: "drag", body, point, target, strength: 10 ** Number($("drag-strength").value) });
      this.pull = null;
    }
    if (this.serial === null) return;
    const { player, recording } = this.page;
    $("scrub").max = recording.count - 1;
    this.page.hasGrown = true;
    player.seek(this.follows ? player.end : player.time);
    this.link.send({ do: "seen", frame: this.serial });
    this.serial = null;
  }

  change(isOpen) {
    $("live-status").textContent = isOpen ? "Connected" : "The connection is lost; trying again";
    $("live-status").classList.toggle("lost", !isOpen);
    $("announce").textContent = $("live-status").textContent;
  }

  show(state) {
    if (this.state.server && state.server !== this.state.server) return this.reload();
    const before = this.state;
    this.state = state;
    const pace = state.playing ? `Running, ${state.achieved.toFixed(2)} of ${state.speed} times real time` : "Paused";
    $("live-status").textContent = `${pace}, ${state.clients} watching`;
    const put = (id, value) => { if (document.activeElement !== $(id) || JSON.stringify(before) === "{}") $(id).value = value; };
    state.gravity.forEach((value, k) => put(GRAVITY[k], value));
    put("live-dt", state.dt);
    put("live-scheme", state.scheme);
    put("live-friction", state.friction);
    put("speed", state.speed);
    if (state.note) this.page.tell(state.note);
    else if (before.note) this.page.tell("");
    if (state.playing !== before.playing) this.page.refresh();
    return undefined;
  }

  // --- Over a new server -------------------------------------------------------------------------

  // Another server may show another scene: its page takes the place of this one.
  reload() {
    const { view } = this.page;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({
        theme: document.documentElement.dataset.theme,
        camera: view?.camera.position.toArray(), target: view?.controls.target.toArray(),
      }));
    } catch { /* the page starts as at first */ }
    location.reload();
  }

  restore() {
    const { view } = this.page;
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      sessionStorage.removeItem(KEPT);
      if (!kept) return;
      this.page.setTheme(kept.theme === "dark");
      if (!view || !kept.camera) return;
      view.camera.position.fromArray(kept.camera);
      view.controls.target.fromArray(kept.target);
      view.controls.update();
    } catch { /* as at first */ }
  }
}
