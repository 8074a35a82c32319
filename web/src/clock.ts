// Playback clock of a recording: time, speed and looping.

/** How long the last frame stays before a loop starts again [s]. */
export const HOLD = 0.5;

export class Clock {
  playing = false;
  speed = 1;
  loop = true;
  #at = 0;
  readonly times: Float32Array;

  constructor(times: Float32Array) {
    this.times = times;
  }

  get end(): number {
    return this.times.length ? this.times[this.times.length - 1] : 0;
  }

  /** The time that is shown [s]. */
  get time(): number {
    return Math.min(this.#at, this.end);
  }

  /** The last frame at or before the time. */
  get frame(): number {
    return frameAt(this.times, this.time);
  }

  /** Advance by an elapsed time [s] while playing. Return whether the time changed. */
  advance(elapsed: number): boolean {
    if (!this.playing || this.end === 0) return false;
    const before = this.time;
    this.#at += elapsed * this.speed;
    if (this.#at > this.end + (this.loop ? HOLD : 0)) {
      this.#at = this.loop ? 0 : this.end;
      this.playing = this.loop;
    }
    return this.time !== before;
  }

  seek(time: number): void {
    this.#at = Math.min(Math.max(time, 0), this.end);
  }

  /** Play; at the end, play from the start. */
  play(): void {
    if (this.#at >= this.end) this.#at = 0;
    this.playing = this.end > 0;
  }

  pause(): void {
    this.playing = false;
    this.#at = this.time;
  }

  /** Pause, and step by a number of frames. */
  step(frames: number): void {
    this.pause();
    const last = this.times.length - 1;
    const frame = Math.min(Math.max(this.frame + frames, 0), last);
    if (last >= 0) this.seek(this.times[frame]);
  }
}

/** Return the index of the last time at or before a time, allowing for rounding; at least 0. */
export function frameAt(times: Float32Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time + 1e-6) low = middle;
    else high = middle;
  }
  return low;
}
