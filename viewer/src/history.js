// The last frames of a simulation that goes on, in the form of a recording. The oldest go when there
// are too many.
import { FIGURES, makeAreas, makeContacts, setContact } from "./decode.js";

const FORMAT = 4;
const MOST_FRAMES = 1800;
const MOST_NUMBERS = 2 ** 24; // of poses and soft bodies

const CONTACT_WORDS = 12;

// Contacts from word `at` on: two geometries, state, point, normal and force each.
function readContacts(words, reals, at, count) {
  const contacts = makeContacts(count);
  for (let i = 0; i < count; i++, at += CONTACT_WORDS) {
    setContact(contacts, i, words[at], words[at + 1], words[at + 2]);
    for (let k = 0; k < 3; k++) {
      contacts.point[3 * i + k] = reals[at + 3 + k];
      contacts.normal[3 * i + k] = reals[at + 6 + k];
      contacts.force[3 * i + k] = reals[at + 9 + k];
    }
  }
  return contacts;
}

// A frame of docs/viewer.md, as views into the message.
function decodeFrame(buffer, header) {
  const words = new Uint32Array(buffer), reals = new Float32Array(buffer);
  if (words[0] !== FORMAT) throw new Error("The frames are of another version; load the page anew.");
  let at = 6;
  const take = (length) => reals.subarray(at, at += length);
  const frame = {
    serial: words[1], run: words[2], time: new Float64Array(buffer, 16, 1)[0],
    figures: take(FIGURES.length), poses: take(7 * (header.bodies.length - 1)),
    q: take(header.numQ), v: take(header.numV), ctrl: take(header.numCtrl),
  };
  frame.softs = header.softs.map(({ nodes }) => take(4 * nodes));
  const count = words[at++];
  frame.contacts = readContacts(words, reals, at, count);
  at += CONTACT_WORDS * count;
  frame.contacts.areas = makeAreas(take(12 * words[at++]));
  frame.springs = Array.from({ length: words[at++] }, () => [take(3), take(3)]);
  return frame;
}

export class History {
  // Starts with the first frame of the page.
  constructor(recording) {
    const { header } = recording, row = 7 * header.bodies.length;
    this.header = header;
    const numbers = header.softs.reduce((sum, { nodes }) => sum + 4 * nodes, row);
    this.room = Math.max(60, Math.min(MOST_FRAMES, Math.floor(MOST_NUMBERS / numbers)));
    this.softs = header.softs.map(({ nodes }) => ({
      places: new Float32Array(3 * nodes * this.room), stress: new Float32Array(nodes * this.room),
    }));
    recording.softs.forEach(({ places, stress }, i) => {
      this.softs[i].places.set(places);
      this.softs[i].stress.set(stress);
    });
    this.contacts = recording.contacts.slice();
    this.springs = [];
    this.run = 0;
    this.row = row;
    this.places = header.channels.map((channel) => this.placeOf(channel));
    this.stores = { time: new Float64Array(this.room), poses: new Float32Array(this.room * row) };
    this.stores.figures = FIGURES.map(() => new Float32Array(this.room));
    this.stores.channels = header.channels.map(() => new Float32Array(this.room));
    const history = this;
    this.channels = header.channels.map((channel, i) => ({
      ...channel,
      get values() { return history.stores.channels[i].subarray(0, history.count); },
    }));
    this.stores.time[0] = recording.time[0];
    this.stores.poses.set(recording.poses);
    FIGURES.forEach((name, i) => { this.stores.figures[i][0] = recording.figures[name][0]; });
    recording.channels.forEach((channel, i) => { this.stores.channels[i][0] = channel.values[0]; });
    this.resize(1);
  }

  // Where a channel's number is in a frame.
  placeOf({ of, joint, actuator, component }) {
    return [of, of === "ctrl" ? this.header.actuators[actuator].control + component : this.header.joints[joint][of] + component];
  }

  resize(count) {
    this.count = count;
    this.contacts.length = count;
    this.time = this.stores.time.subarray(0, count);
    this.poses = this.stores.poses.subarray(0, count * this.row);
    this.figures = Object.fromEntries(FIGURES.map((name, i) => [name, this.stores.figures[i].subarray(0, count)]));
  }

  dropOldest(number) {
    const { time, poses, figures, channels } = this.stores;
    for (const store of [time, ...figures, ...channels]) store.copyWithin(0, number);
    poses.copyWithin(0, number * this.row);
    this.header.softs.forEach(({ nodes }, i) => {
      this.softs[i].places.copyWithin(0, 3 * number * nodes);
      this.softs[i].stress.copyWithin(0, number * nodes);
    });
    this.contacts.splice(0, number);
    this.count -= number;
  }

  takeSofts(frame, at) {
    this.header.softs.forEach(({ nodes }, i) => {
      const numbers = frame.softs[i], { places, stress } = this.softs[i], first = at * nodes;
      for (let n = 0; n < nodes; n++) {
        places.set(numbers.subarray(4 * n, 4 * n + 3), 3 * (first + n));
        stress[first + n] = numbers[4 * n + 3];
      }
    });
  }

  // Takes a frame in; one of the same time as the last takes its place. Returns the frame's serial.
  push(buffer) {
    const frame = decodeFrame(buffer, this.header), { time, poses, figures, channels } = this.stores;
    if (frame.run !== this.run) this.count = 0;
    this.run = frame.run;
    if (this.count > 0 && frame.time <= time[this.count - 1]) this.count--;
    if (this.count === this.room) this.dropOldest(this.room >> 2);
    const at = this.count;
    time[at] = frame.time;
    poses.set([0, 0, 0, 1, 0, 0, 0], at * this.row);
    poses.set(frame.poses, at * this.row + 7);
    this.takeSofts(frame, at);
    figures.forEach((store, i) => { store[at] = frame.figures[i]; });
    channels.forEach((store, i) => { store[at] = frame[this.places[i][0]][this.places[i][1]]; });
    this.contacts[at] = frame.contacts;
    this.springs = frame.springs;
    this.resize(at + 1);
    return frame.serial;
  }
}
