// What can be plotted over time: figures of the run, joints, bodies.
import { bodyName, jointName } from "./decode.js";

const AXES = ["x", "y", "z"];
const COMPONENTS = {
  free: { v: ["vx m/s", "vy m/s", "vz m/s", "ωx rad/s", "ωy rad/s", "ωz rad/s"] },
  ball: { q: ["w", "x", "y", "z"], v: ["ωx rad/s", "ωy rad/s", "ωz rad/s"] },
  slide: { q: ["m"], v: ["m/s"] },
  hinge: { q: ["rad"], v: ["rad/s"] },
};

const curve = (label, values) => ({ label, values });

function energies({ figures, count }) {
  const { kinetic, potential, elastic, dissipated } = figures;
  const total = Float32Array.from({ length: count }, (_, i) => kinetic[i] + potential[i] + elastic[i]);
  return [curve("kinetic", kinetic), curve("potential", potential), curve("elastic", elastic),
    curve("total", total), curve("dissipated", dissipated)];
}

function contacts({ contacts: frames }) {
  const count = (state) => Float32Array.from(frames, (frame) => frame.state.filter((s) => s === state).length);
  return [curve("all", Float32Array.from(frames, (frame) => frame.count)), curve("sticking", count(1)),
    curve("sliding", count(2))];
}

// The plots that stand there from the start.
export function standardPlots(recording) {
  const { figures } = recording;
  return [
    { title: "Energy, J", curves: energies(recording) },
    { title: "Contact points", curves: contacts(recording) },
    { title: "Iterations of a step", curves: [curve("Newton", figures.iterations), curve("outer", figures.outerIterations)] },
    { title: "Residual and error bound, relative", isLogarithmic: true,
      curves: [curve("residual", figures.residual), curve("bound", figures.errorBound)] },
  ];
}

function jointPlot(recording, joint, kind) {
  const names = COMPONENTS[recording.header.joints[joint].type][kind];
  const own = recording.channels.filter((channel) => channel.joint === joint && channel.of === kind);
  const quantity = kind === "q" ? "position" : "velocity";
  return { title: `${jointName(recording, joint)}: ${quantity}`,
    curves: own.map((channel) => curve(names[channel.component], channel.values)) };
}

function bodyPlot(recording, body) {
  const { poses, count, header } = recording;
  const values = (k) => Float32Array.from({ length: count }, (_, i) => poses[(i * header.bodies.length + body) * 7 + k]);
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
  for (let i = 1; i < bodies.length; i++)
    list.push({ title: `${bodyName(recording, i)}: place`, make: () => bodyPlot(recording, i) });
  return list;
}
