// Where playback is: a time between the first and the last frame, and how it goes on.

export class Player {
  constructor(recording) {
    this.recording = recording;
    this.time = this.start;
    this.speed = 1;
    this.isPlaying = false;
    this.repeats = false;
    this.onchange = () => {};
  }

  // These grow with a recording that does.
  get times() { return this.recording.time; }
  get start() { return this.times[0]; }
  get end() { return this.times[this.times.length - 1]; }

  // The last frame at or before the time.
  get frame() {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= this.time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // How far the time is on its way from that frame to the next, from 0 to 1.
  get fraction() {
    const frame = this.frame;
    if (frame === this.times.length - 1) return 0;
    const span = this.times[frame + 1] - this.times[frame];
    return span > 0 ? (this.time - this.times[frame]) / span : 0;
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.onchange();
  }

  seekFrame(frame) {
    this.seek(this.times[Math.min(Math.max(frame, 0), this.times.length - 1)]);
  }

  // Frames on or back; playback pauses.
  step(count) {
    const isBetween = this.fraction > 0;
    this.isPlaying = false;
    this.seekFrame(this.frame + count + (count < 0 && isBetween ? 1 : 0));
  }

  toggle(plays = !this.isPlaying) {
    if (plays && this.time >= this.end) this.time = this.start;
    this.isPlaying = plays;
    this.onchange();
  }

  // Seconds of the clock have gone by.
  advance(seconds) {
    if (!this.isPlaying) return;
    let time = this.time + seconds * this.speed;
    if (time >= this.end) {
      const length = this.end - this.start;
      if (this.repeats && length > 0) time = this.start + ((time - this.start) % length);
      else this.isPlaying = false;
    }
    this.seek(time);
  }
}
