// The bar below the picture: play, step, scrub, speed, loop, and marks where something happened.
import type { Clock } from "./clock.ts";
import type { EventData } from "./data.ts";
import { button, element, showSign } from "./dom.ts";
import { number } from "./ticks.ts";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

/** Most marks; more would merge into a smear. */
const MARKS = 400;

export interface TimelineRequests {
  toggle(): void;
  step(frames: number): void;
  seek(time: number): void;
  setSpeed(speed: number): void;
  toggleLoop(): void;
  pickEvent(event: EventData, take: number): void;
}

export class Timeline {
  readonly root = element("div", "timeline");
  #clock: Clock;
  #play: HTMLButtonElement;
  #loop: HTMLButtonElement;
  #slider = element("input", "");
  #time = element("output", "time");
  #speed = element("select", "");

  constructor(clock: Clock, events: EventData[][], requests: TimelineRequests) {
    this.#clock = clock;
    this.#play = button("play", "Play (Space)", requests.toggle);
    this.#loop = button("loop", "Loop (L)", requests.toggleLoop);
    const slider = this.#slider;
    Object.assign(slider, { type: "range", min: "0", max: String(clock.end), step: "any" });
    slider.setAttribute("aria-label", "Time");
    slider.addEventListener("input", () => requests.seek(Number(slider.value)));
    this.#speed.setAttribute("aria-label", "Speed");
    this.#speed.title = "Speed ([ and ])";
    for (const speed of SPEEDS) this.#speed.append(new Option(`${speed}×`, String(speed)));
    this.#speed.addEventListener("change", () => requests.setSpeed(Number(this.#speed.value)));
    const track = element("div", "track");
    track.append(slider, this.#marks(events, requests));
    this.root.append(
      this.#play,
      button("back", "One frame back (←)", () => requests.step(-1)),
      button("on", "One frame on (→)", () => requests.step(1)),
      track,
      this.#time,
      this.#speed,
      this.#loop,
    );
    this.root.classList.toggle("still", clock.end === 0);
  }

  show(): void {
    const { playing, time, end, loop, speed } = this.#clock;
    showSign(this.#play, playing ? "pause" : "play", playing ? "Pause (Space)" : "Play (Space)");
    this.#loop.setAttribute("aria-pressed", String(loop));
    this.#slider.value = String(time);
    this.#slider.style.setProperty("--done", `${end ? (100 * time) / end : 0}%`);
    this.#time.value = `${time.toFixed(2)} / ${number(end, 4)} s`;
    this.#speed.value = String(speed);
  }

  #marks(takes: EventData[][], requests: TimelineRequests): HTMLElement {
    const marks = element("div", "marks");
    takes.forEach((events, take) => {
      for (const event of thinned(events, MARKS)) {
        const mark = button(null, `${event.time.toFixed(3)} s: ${event.text}`, () => requests.pickEvent(event, take));
        mark.className = `mark ${event.type}`;
        mark.tabIndex = -1;
        mark.style.left = `${(100 * event.time) / (this.#clock.end || 1)}%`;
        marks.append(mark);
      }
    });
    return marks;
  }
}

/** Return at most `most` items, evenly chosen. */
export function thinned<T>(items: T[], most: number): T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);
}
