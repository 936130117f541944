// The page: controls, keys, and the loop that keeps scene, panel and plots in step.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { choices, standardPlots } from "./curves.js";
import { bodyName, decode } from "./decode.js";
import { History } from "./history.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { stateOf } from "./readout.js";
import { Simulation } from "./simulation.js";
import { stressText } from "./softs.js";
import { View } from "./view.js";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const TURN = Math.PI / 24;
const PANEL_INTERVAL = 100; // ms, between two looks of plots and texts while things move

const $ = (id) => document.getElementById(id);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function addOptions(select, labels, values = labels.map((_, i) => i)) {
  labels.forEach((label, i) => select.append(new Option(label, values[i])));
}

class Page {
  constructor(recording) {
    this.recording = recording;
    this.player = new Player(recording);
    this.plots = new Plots($("plots"), recording, this.player);
    this.choices = choices(recording);
    this.makeView();
    this.fill();
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
    for (const plot of standardPlots(recording)) this.plots.add(plot, false);
    if (recording.header.live) this.live = new Simulation(this);
    this.connect();
    this.refresh();
  }

  // Something to be read at the top of the page.
  tell(text) {
    const all = [...this.recording.header.notes, text].filter(Boolean).join(" ");
    if ($("notes").textContent === all) return;
    $("notes").textContent = all;
    $("notes").hidden = !all;
  }

  // Without WebGL the plots are still there.
  makeView() {
    try {
      this.view = new View($("canvas"), this.recording);
    } catch (error) {
      this.recording.header.notes.push(`The scene cannot be drawn: ${error.message}`);
    }
  }

  fill() {
    const { header } = this.recording;
    $("title").textContent = header.model || "Carom";
    document.title = header.model ? `${header.model} – Carom` : "Carom";
    $("made").textContent = header.options || `Carom ${header.library}`;
    if (!header.geoms.length && !header.softs.length) header.notes.push("The recording holds no geometries: frames of bodies are shown.");
    this.tell("");
    $("scrub").max = this.recording.count - 1;
    addOptions($("speed"), SPEEDS.map((speed) => `${speed}×`), SPEEDS);
    $("speed").value = 1;
    addOptions($("body"), ["none", ...header.bodies.slice(1).map((_, i) => bodyName(this.recording, i + 1))]);
    addOptions($("curve"), this.choices.map((choice) => choice.title));
    $("add-curve").disabled = !this.choices.length;
    $("groups-label").hidden = ![...header.geoms, ...header.softs].some(({ group }) => group > 2);
    $("stress-label").hidden = $("stress-most-label").hidden = !header.softs.length || !this.view;
    this.fillBar(header.stressColours);
    if (!header.geoms.length && !header.softs.length && this.view) $("show-frames").checked = this.view.frames.object.visible = true;
  }

  // The bar of colours of stress, from 0 on.
  fillBar(colours) {
    const stops = Array.from({ length: colours.length / 3 }, (_, i) =>
      `rgb(${colours.slice(3 * i, 3 * i + 3).map((part) => Math.round(255 * part)).join(" ")})`);
    $("stress-bar").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  }

  showStress() {
    const { softs } = this.view;
    $("stress-legend").hidden = !softs.byStress || !softs.infos.length;
    if (this.shownMost === softs.most) return;
    this.shownMost = softs.most;
    $("stress-ticks").replaceChildren(...[0, 0.5, 1].map((part) =>
      Object.assign(document.createElement("span"), { textContent: stressText(part * softs.most) })));
    if (document.activeElement !== $("stress-most")) $("stress-most").value = softs.most;
  }

  setStressMost(most) {
    const { softs } = this.view;
    if (!(most > 0)) return;
    softs.most = most;
    softs.isChosen = true;
    this.refresh();
  }

  setTheme(isDark) {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    $("theme").setAttribute("aria-pressed", String(isDark));
    this.view?.setColours(style);
    this.plots.setColours(style, isDark ? "dark" : "light");
    this.refresh();
  }

  toggleTheme() {
    this.setTheme(document.documentElement.dataset.theme !== "dark");
  }

  // --- In step -------------------------------------------------------------------------------

  get isMoving() { return this.live ? this.live.isPlaying : this.player.isPlaying; }

  refresh() {
    const { player } = this, frame = player.frame;
    this.view?.show(frame, player.fraction);
    if (this.view) this.showStress();
    $("scrub").value = frame;
    $("scrub").setAttribute("aria-valuetext", `${player.time.toFixed(3)} seconds`);
    $("time").textContent = `${player.time.toFixed(3)} / ${player.end.toFixed(3)} s`;
    $("play").textContent = this.isMoving ? "Pause" : "Play";
    $("play").setAttribute("aria-label", this.isMoving ? "Pause (space)" : "Play (space)");
    this.isPanelStale = true;
    this.refreshPanel();
  }

  // Plots and texts, not as often as the scene while it moves.
  refreshPanel() {
    const now = performance.now();
    if (!this.isPanelStale || (this.isMoving && now - this.panelTime < PANEL_INTERVAL)) return;
    this.panelTime = now;
    this.isPanelStale = false;
    if (this.hasGrown) {
      this.plots.renew();
      this.view?.trails.grow(this.view.chosen);
    }
    this.hasGrown = false;
    this.plots.update();
    this.showState(this.player.frame);
  }

  showState(frame) {
    const body = Number($("body").value);
    const rows = body ? stateOf(this.recording, frame, body) : [["", "Click a body, or press N."]];
    $("state").replaceChildren(...rows.flatMap(([label, text]) => {
      const term = document.createElement("dt"), value = document.createElement("dd");
      term.textContent = label;
      value.textContent = text;
      return [term, value];
    }));
  }

  announce() {
    const { player } = this;
    $("announce").textContent = `${this.isMoving ? "Playing from" : "At"} ${player.time.toFixed(3)} seconds`;
  }

  choose(body) {
    $("body").value = body;
    this.view?.choose(body);
    this.refresh();
  }

  // The next or previous body, round and round.
  chooseNext(step) {
    const count = this.recording.header.bodies.length;
    this.choose((Number($("body").value) + step + count) % count);
  }

  // --- Controls ------------------------------------------------------------------------------

  connect() {
    this.player.onchange = () => this.refresh();
    this.connectPlayback();
    this.connectPanel();
    this.connectCanvas();
    this.connectKeys();
    new ResizeObserver(() => this.view?.resize()).observe($("canvas"));
    new ResizeObserver(() => this.plots.resize()).observe($("plots"));
    let last = performance.now();
    const loop = (now) => {
      this.player.advance((now - last) / 1000);
      last = now;
      this.live?.draw();
      this.refreshPanel();
      this.view?.render();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  act(action) {
    return () => {
      action();
      this.announce();
    };
  }

  // What the buttons do: with a recording, and with a simulation, whose newest frames are kept.
  playbackActions() {
    const { player, live } = this;
    if (!live)
      return {
        first: () => player.seek(player.start), back: () => player.step(-1), play: () => player.toggle(),
        forward: () => player.step(1), last: () => player.seek(player.end),
      };
    return {
      first: () => live.browse(() => player.seek(player.start)), back: () => live.browse(() => player.step(-1)),
      play: () => live.toggle(), forward: () => live.forward(), last: () => live.follow(),
    };
  }

  connectPlayback() {
    const { player, live } = this;
    this.actions = Object.fromEntries(Object.entries(this.playbackActions()).map(([id, action]) => [id, this.act(action)]));
    for (const [id, action] of Object.entries(this.actions)) $(id).addEventListener("click", action);
    $("scrub").addEventListener("input", () => {
      const seek = () => player.seekFrame(Number($("scrub").value));
      player.isPlaying = false;
      if (live) live.browse(seek);
      else seek();
    });
    $("speed").addEventListener("change", () => this.setSpeed(Number($("speed").value)));
    $("loop").addEventListener("change", () => { player.repeats = $("loop").checked; });
  }

  setSpeed(speed) {
    this.player.speed = speed;
    this.live?.setSpeed(speed);
  }

  setShown(id, isShown) {
    const { view } = this;
    if (!view) return;
    if (id === "contacts") view.contacts.points.visible = isShown;
    if (id === "forces") view.contacts.forces.visible = isShown;
    if (id === "cones") view.contacts.cones.visible = isShown;
    if (id === "pressure") view.contacts.patches.object.visible = isShown;
    if (id === "centres") view.centres.object.visible = isShown;
    if (id === "axes") view.axes.object.visible = isShown;
    if (id === "frames") view.frames.object.visible = isShown;
    if (id === "trails") view.setTrails(isShown);
    if (id === "planes") view.planes.forEach((plane) => { plane.visible = isShown; });
    if (id === "stress") view.softs.byStress = isShown;
    if (id === "groups") view.showGroups(isShown);
    this.refresh();
  }

  connectPanel() {
    for (const id of ["contacts", "forces", "cones", "pressure", "centres", "axes", "frames", "trails", "planes", "groups", "stress"])
      $(`show-${id}`).addEventListener("change", (event) => this.setShown(id, event.target.checked));
    $("force-length").addEventListener("input", () => {
      if (this.view) this.view.contacts.stretch = 10 ** Number($("force-length").value);
      this.refresh();
    });
    $("stress-most").addEventListener("change", () => this.setStressMost($("stress-most").valueAsNumber));
    $("reset-view").addEventListener("click", () => this.view?.resetCamera());
    $("body").addEventListener("change", () => this.choose(Number($("body").value)));
    $("add-curve").addEventListener("click", () => this.plots.add(this.choices[$("curve").value].make(), true));
    $("theme").addEventListener("click", () => this.toggleTheme());
    $("help-open").addEventListener("click", () => $("help").showModal());
  }

  // A press and release at one place chooses; a drag turns the camera.
  connectCanvas() {
    let start = null;
    $("canvas").addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
    $("canvas").addEventListener("pointerup", (event) => {
      const isClick = start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < 4;
      if (isClick && event.button === 0 && this.view) this.choose(this.view.pick(event.clientX, event.clientY));
    });
  }

  // --- Keys ----------------------------------------------------------------------------------

  changeSpeed(step) {
    const at = SPEEDS.indexOf(this.player.speed) + step;
    if (at < 0 || at >= SPEEDS.length) return;
    this.setSpeed(SPEEDS[at]);
    $("speed").value = SPEEDS[at];
  }

  keys() {
    const { actions, view } = this, click = (id) => () => $(id).click();
    return [
      [[" "], "space", "play or pause", actions.play],
      [["ArrowLeft"], "←", "one frame back", actions.back],
      [["ArrowRight"], "→", "one frame on", actions.forward],
      [["Home"], "Home", "to the start", actions.first],
      [["End"], "End", "to the end", actions.last],
      [["+", "="], "+", "faster", () => this.changeSpeed(1)],
      [["-"], "−", "slower", () => this.changeSpeed(-1)],
      [["l"], "L", "repeat", click("loop")],
      [["a"], "A", "turn the camera left", () => view?.moveCamera(-TURN, 0)],
      [["d"], "D", "turn it right", () => view?.moveCamera(TURN, 0)],
      [["w"], "W", "turn it up", () => view?.moveCamera(0, TURN)],
      [["s"], "S", "turn it down", () => view?.moveCamera(0, -TURN)],
      [["q"], "Q", "nearer", () => view?.moveCamera(0, 0, 0.9)],
      [["e"], "E", "farther", () => view?.moveCamera(0, 0, 1 / 0.9)],
      [["r"], "R", "camera as at the start", click("reset-view")],
      [["n"], "N", "next body", () => this.chooseNext(1)],
      [["p"], "P", "previous body", () => this.chooseNext(-1)],
      [["Escape"], "Esc", "no body", () => this.choose(0)],
      [["c"], "C", "contact points", click("show-contacts")],
      [["f"], "F", "forces", click("show-forces")],
      [["k"], "K", "friction cones", click("show-cones")],
      [["g"], "G", "centres of mass", click("show-centres")],
      [["j"], "J", "joint axes", click("show-axes")],
      [["b"], "B", "body frames", click("show-frames")],
      [["t"], "T", "trails", click("show-trails")],
      ...(this.recording.header.softs.length ? [[["v"], "V", "colours of stress", click("show-stress")]] : []),
      [["m"], "M", "dark or light", () => this.toggleTheme()],
      [["?"], "?", "these keys", click("help-open")],
      ...(this.live ? [[["Backspace"], "Backspace", "reset the simulation", click("live-reset")]] : []),
    ];
  }

  // Controls that use keys themselves keep them.
  connectKeys() {
    const keys = this.keys(), table = $("keys");
    for (const [, label, text] of keys) {
      const row = table.insertRow();
      row.insertCell().append(Object.assign(document.createElement("kbd"), { textContent: label }));
      row.insertCell().textContent = text;
    }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || $("help").open) return;
      const { target } = event, isSpace = event.key === " ";
      if (target.matches("select, input[type=range]") && !isSpace) return;
      if (target.matches("input[type=number]")) return;
      if (target.matches("select, button, summary, input[type=checkbox]") && isSpace) return;
      const entry = keys.find(([names]) => names.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
      if (!entry) return;
      event.preventDefault();
      entry[3]();
    });
  }
}

export function start(bytes) {
  const begin = performance.now(), recording = decode(bytes);
  const page = new Page(recording.header.live ? new History(recording) : recording);
  page.startTime = performance.now() - begin; // ms, for measurements
  return page;
}
