// What can be plotted over time: figures of the run, joints, controls, bodies.
import { actuatorName, bodyName, jointName } from "./decode.js";

const AXES = ["x", "y", "z"];
const COMPONENTS = {
  free: { v: ["vx m/s", "vy m/s", "vz m/s", "ωx rad/s", "ωy rad/s", "ωz rad/s"] },
  ball: { q: ["w", "x", "y", "z"], v: ["ωx rad/s", "ωy rad/s", "ωz rad/s"] },
  slide: { q: ["m"], v: ["m/s"] },
  hinge: { q: ["rad"], v: ["rad/s"] },
};

// Values are read anew when a recording grows.
const curve = (label, values) => ({ label, values });

function figureCurves(recording, names, labels) {
  return names.map((name, i) => curve(labels[i], () => recording.figures[name]));
}

function energies(recording) {
  const names = ["kinetic", "potential", "elastic", "dissipated"];
  const own = figureCurves(recording, names, names);
  const total = () => {
    const { kinetic, potential, elastic } = recording.figures;
    return kinetic.map((value, i) => value + potential[i] + elastic[i]);
  };
  return [...own.slice(0, 3), curve("total", total), own[3]];
}

function contacts(recording) {
  const count = (name) => () => Float32Array.from(recording.contacts, (frame) => frame[name]);
  return [curve("all", count("count")), curve("sticking", count("sticking")), curve("sliding", count("sliding"))];
}

// The plots that stand there from the start. Early recordings have no momentum.
export function standardPlots(recording) {
  const motion = (kind) => figureCurves(recording, AXES.map((axis) => kind + axis.toUpperCase()), AXES);
  const plots = [
    { title: "Energy, J", curves: energies(recording) },
    { title: "Linear momentum, kg m/s", curves: motion("linear") },
    { title: "Angular momentum about the origin, kg m²/s", curves: motion("angular") },
    { title: "Contact points", curves: contacts(recording) },
    { title: "Iterations of a step", curves: figureCurves(recording, ["iterations", "outerIterations"], ["Newton", "outer"]) },
    { title: "Residual and error bound, relative", isLogarithmic: true,
      curves: figureCurves(recording, ["residual", "errorBound"], ["residual", "bound"]) },
  ];
  return plots.filter(({ title }) => !/momentum/.test(title) || !Number.isNaN(recording.figures.linearX[0]));
}

// Curves of the channels that pass a test.
function channelCurves(recording, isWanted, labelOf) {
  return recording.channels.flatMap((channel, i) =>
    (isWanted(channel) ? [curve(labelOf(channel), () => recording.channels[i].values)] : []));
}

function jointPlot(recording, joint, kind) {
  const names = COMPONENTS[recording.header.joints[joint].type][kind];
  const quantity = kind === "q" ? "position" : "velocity";
  return { title: `${jointName(recording, joint)}: ${quantity}`,
    curves: channelCurves(recording, (c) => c.of === kind && c.joint === joint, (c) => names[c.component]) };
}

function controlPlot(recording, actuator) {
  return { title: `${actuatorName(recording, actuator)}: control`,
    curves: channelCurves(recording, (c) => c.of === "ctrl" && c.actuator === actuator,
      (c) => (c.component > 0 ? `control ${c.component + 1}` : "control")) };
}

function bodyPlot(recording, body) {
  const { header } = recording;
  const values = (k) => () => recording.time.map((_, i) => recording.poses[(i * header.bodies.length + body) * 7 + k]);
  return { title: `${bodyName(recording, body)}: place, m`, curves: AXES.map((axis, k) => curve(axis, values(k))) };
}

// Everything that can be added: title, and what makes the plot when it is asked for.
export function choices(recording) {
  const { joints, bodies } = recording.header, list = [];
  joints.forEach((joint, i) => {
    for (const [kind, quantity] of [["q", "position"], ["v", "velocity"]])
      if (COMPONENTS[joint.type][kind])
        list.push({ title: `${jointName(recording, i)}: ${quantity}`, make: () => jointPlot(recording, i, kind) });
  });
  for (let i = 0; i < recording.header.numCtrl; i++)
    list.push({ title: `${actuatorName(recording, i)}: control`, make: () => controlPlot(recording, i) });
  for (let i = 1; i < bodies.length; i++)
    list.push({ title: `${bodyName(recording, i)}: place`, make: () => bodyPlot(recording, i) });
  return list;
}
