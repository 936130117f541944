// The data of a page: header and frames (docs/viewer.md), into typed arrays.

export const FIGURES = [
  "kinetic", "potential", "elastic", "dissipated", "actuatorWork", "steps", "substeps",
  "iterations", "outerIterations", "errorBound", "residual", "stickSlip", "wallTime",
  "comX", "comY", "comZ", "linearX", "linearY", "linearZ", "angularX", "angularY", "angularZ",
];
export const FORMAT = 5;
const NORMAL_STEP = 2 ** -10;

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  // Groups of seven bits, lowest first, then zigzag. Doubles hold what does not fit 32 bits.
  integer() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte & 1 ? -((byte + 1) >> 1) : byte >> 1; // most are small
    let value = byte & 127, factor = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  double() {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  float() {
    this.at += 4;
    return this.view.getFloat32(this.at - 4, true);
  }
}

// Numbers that are written as what they differ from the line through their last two values.
class Tracks {
  constructor(count) {
    this.last = new Float64Array(count);
    this.before = new Float64Array(count);
    this.isFirst = true;
  }

  next(reader, index) {
    const difference = reader.integer(), last = this.last[index];
    const value = this.isFirst ? difference : difference + 2 * last - this.before[index];
    this.before[index] = this.isFirst ? value : last;
    this.last[index] = value;
    return value;
  }
}

function allocate(header) {
  const count = header.frames;
  return {
    header,
    count,
    time: new Float64Array(count),
    figures: Object.fromEntries(FIGURES.map((name) => [name, new Float32Array(count)])),
    poses: new Float32Array(count * header.bodies.length * 7),
    channels: header.channels.map((channel) => ({ ...channel, values: new Float32Array(count) })),
    contacts: new Array(count),
    softs: header.softs.map(({ nodes }) => ({
      places: new Float32Array(3 * nodes * count), stress: new Float32Array(nodes * count),
    })),
  };
}

function readPoses(reader, tracks, header, poses, at) {
  poses.set([0, 0, 0, 1, 0, 0, 0], at); // the world
  for (let body = 1; body < header.bodies.length; body++)
    for (let k = 0; k < 7; k++) {
      const step = k < 3 ? header.positionStep : header.rotationStep;
      poses[at + 7 * body + k] = tracks.next(reader, 7 * body + k) * step;
    }
}

// Places and stresses of the nodes of all surfaces.
function readSofts(reader, tracks, recording, frame) {
  const { header, softs } = recording;
  let track = 0;
  header.softs.forEach(({ nodes, step }, i) => {
    const { places, stress } = softs[i], first = frame * nodes;
    for (let node = first; node < first + nodes; node++) {
      for (let k = 0; k < 3; k++) places[3 * node + k] = tracks.next(reader, track++) * step;
      stress[node] = tracks.next(reader, track++) * header.stressStep;
    }
  });
}

const ROW = 12;

// Whether row i of a comes before row j of b, by their pairs.
function isBefore(a, i, b, j) {
  const x = i * ROW, y = j * ROW;
  return a[x] !== b[y] ? a[x] < b[y] : a[x + 1] < b[y + 1];
}

// Rows [geom1, geom2, state, point (3), force (3), normal (3)] in whole steps, one after the other;
// the mirror of src/html/frames.c.
function readRows(reader, old) {
  const count = reader.integer(), numOld = old.length / ROW, rows = new Float64Array(count * ROW);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const row = i * ROW, before = row - ROW;
    for (let k = 0; k < 2; k++) rows[row + k] = reader.integer() + (i ? rows[before + k] : 0);
    while (at < numOld && isBefore(old, at, rows, i)) at++;
    const isSame = at < numOld && !isBefore(rows, i, old, at);
    const from = isSame ? old : rows, expected = isSame ? ROW * at++ : before;
    for (let k = 2; k < ROW; k++) rows[row + k] = reader.integer() + (isSame || i ? from[expected + k] : 0);
  }
  return rows;
}

// Contacts of a frame: arrays of numbers, and how many there are of each state.
export function makeContacts(count) {
  return {
    count, sticking: 0, sliding: 0,
    geoms: new Int32Array(count * 2), state: new Uint8Array(count), point: new Float32Array(count * 3),
    force: new Float32Array(count * 3), normal: new Float32Array(count * 3),
  };
}

export function setContact(contacts, i, geom1, geom2, state) {
  contacts.geoms[2 * i] = geom1;
  contacts.geoms[2 * i + 1] = geom2;
  contacts.state[i] = state;
  contacts.sticking += state === 1;
  contacts.sliding += state === 2;
}

function scaleContacts(rows, header) {
  const contacts = makeContacts(rows.length / ROW);
  for (let i = 0, row = 0; i < contacts.count; i++, row += ROW) {
    setContact(contacts, i, rows[row], rows[row + 1], rows[row + 2]);
    for (let k = 0; k < 3; k++) {
      contacts.point[3 * i + k] = rows[row + 3 + k] * header.positionStep;
      contacts.force[3 * i + k] = rows[row + 6 + k] * header.forceStep;
      contacts.normal[3 * i + k] = rows[row + 9 + k] * NORMAL_STEP;
    }
  }
  return contacts;
}

const OF_TRIANGLE = 12;

// Rows [place (3), pressure] of each corner in whole steps, as those of contacts.
function readTriangles(reader, old) {
  const count = reader.integer(), rows = new Float64Array(count * OF_TRIANGLE);
  for (let i = 0; i < rows.length; i++)
    rows[i] = reader.integer() + (i < old.length ? old[i] : i >= OF_TRIANGLE ? rows[i - OF_TRIANGLE] : 0);
  return rows;
}

// The areas over which contacts press: places and pressures of the corners of their triangles, from
// the four numbers of each.
export function makeAreas(numbers, step = 1, pressureStep = 1) {
  const count = numbers.length / 4, areas = { place: new Float32Array(3 * count), pressure: new Float32Array(count) };
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) areas.place[3 * i + k] = numbers[4 * i + k] * step;
    areas.pressure[i] = numbers[4 * i + 3] * pressureStep;
  }
  return areas;
}

function readFrames(reader, recording) {
  const { header } = recording;
  const poses = new Tracks(7 * header.bodies.length), curves = new Tracks(header.channels.length);
  const softs = new Tracks(header.softs.reduce((sum, { nodes }) => sum + 4 * nodes, 0));
  let rows = new Float64Array(0), triangles = new Float64Array(0);
  for (let frame = 0; frame < header.frames; frame++) {
    recording.time[frame] = reader.double();
    for (const name of FIGURES) recording.figures[name][frame] = reader.float();
    readPoses(reader, poses, header, recording.poses, frame * header.bodies.length * 7);
    recording.channels.forEach((channel, i) => {
      channel.values[frame] = curves.next(reader, i) * channel.step;
    });
    readSofts(reader, softs, recording, frame);
    rows = readRows(reader, rows);
    recording.contacts[frame] = scaleContacts(rows, header);
    triangles = readTriangles(reader, triangles);
    recording.contacts[frame].areas = makeAreas(triangles, header.areaStep, header.pressureStep);
    poses.isFirst = curves.isFirst = softs.isFirst = false;
  }
}

export function decode(bytes) {
  const reader = new Reader(bytes);
  const length = reader.view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (header.format !== FORMAT) throw new Error(`data of format ${header.format}, not ${FORMAT}`);
  const recording = allocate(header);
  reader.at = 4 + length;
  readFrames(reader, recording);
  if (reader.at !== bytes.length) throw new Error("the data is damaged");
  return recording;
}

// Names for people; what has none is called after its number.
export function bodyName(recording, index) {
  return index === 0 ? "world" : recording.header.bodies[index].name || `body ${index}`;
}

export function jointName(recording, index) {
  const joint = recording.header.joints[index];
  return joint.name || `${joint.type} of ${bodyName(recording, joint.body)}`;
}

export function actuatorName(recording, index) {
  return recording.header.actuators[index]?.name || `actuator ${index + 1}`;
}
