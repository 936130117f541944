// The state of the chosen body in words and numbers.
import { bodyName, jointName } from "./decode.js";

const digits = (value) => (Object.is(value, -0) ? 0 : value).toPrecision(5);
const list = (values) => Array.from(values, (value) => digits(value)).join("  ");

// Number of contacts of a body, and the sum of their forces on it.
function contactForce(recording, frame, body) {
  const { geoms } = recording.header, contacts = recording.contacts[frame];
  const sum = [0, 0, 0];
  let count = 0;
  for (let i = 0; i < contacts.count; i++)
    for (let side = 0; side < 2; side++) {
      if (geoms[contacts.geoms[2 * i + side]]?.body !== body) continue;
      count++;
      for (let k = 0; k < 3; k++) sum[k] += (side ? 1 : -1) * contacts.force[3 * i + k];
    }
  return { count, sum };
}

function jointRows(recording, frame, body) {
  return recording.header.joints.flatMap((joint, index) => {
    if (joint.body !== body) return [];
    return [["q", "position"], ["v", "velocity"]].flatMap(([kind, quantity]) => {
      const own = recording.channels.filter((channel) => channel.joint === index && channel.of === kind);
      const values = own.map((channel) => channel.values[frame]);
      return own.length ? [[`${jointName(recording, index)}, ${quantity}`, list(values)]] : [];
    });
  });
}

// Pairs of a label and a text.
export function stateOf(recording, frame, body) {
  const { bodies } = recording.header, info = bodies[body];
  const at = (frame * bodies.length + body) * 7;
  const { count, sum } = contactForce(recording, frame, body);
  const rows = [
    ["Name", bodyName(recording, body)],
    ["Mass, kg", info.mass === null ? "–" : digits(info.mass)],
    ["Place, m", list(recording.poses.subarray(at, at + 3))],
    ["Quaternion w x y z", list(recording.poses.subarray(at + 3, at + 7))],
    ["Contacts", String(count)],
    ["Contact force, N", list(sum)],
  ];
  if (info.parent > 0) rows.splice(1, 0, ["Hangs on", bodyName(recording, info.parent)]);
  return rows.concat(jointRows(recording, frame, body));
}
