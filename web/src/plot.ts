// Curves over time on a canvas, with a draggable line at the current time.
import { frameAt } from "./clock.ts";
import { number, range, ticks } from "./ticks.ts";
import { element } from "./dom.ts";

export interface Series {
  name: string;
  colour: string;
  unit: string;
  values: Float32Array;
  isDashed: boolean;
  /** Bounds of the values over time, drawn thin in the same colour. */
  bounds: Float32Array[];
}

const LEFT = 46;
const RIGHT = 8;
const TOP = 6;
const BOTTOM = 18;

export class Plot {
  readonly root = element("figure", "plot");
  #canvas = element("canvas", "");
  #legend = element("figcaption", "");
  #entries: HTMLOutputElement[] = [];
  #series: Series[];
  #times: Float32Array;
  #range: [number, number];

  constructor(title: string, times: Float32Array, series: Series[], seek: (time: number) => void) {
    this.#times = times;
    this.#series = series;
    this.#range = range(
      series.flatMap((each) => [each.values, ...each.bounds]),
      series[0]?.unit,
    );
    this.#canvas.setAttribute("aria-label", title);
    this.#legend.append(element("b", "", title));
    for (const each of series) {
      const entry = element("span", "entry");
      const mark = element("i", each.isDashed ? "dashed" : "");
      mark.style.borderColor = each.colour;
      const value = element("output", "");
      entry.append(mark, `${each.name} `, value);
      this.#legend.append(entry);
      this.#entries.push(value);
    }
    this.root.append(this.#legend, this.#canvas);
    const seekTo = (event: PointerEvent): void => {
      const box = this.#canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      seek(Math.min(Math.max(share, 0), 1) * this.#end);
    };
    this.#canvas.addEventListener("pointerdown", (event) => {
      this.#canvas.setPointerCapture(event.pointerId);
      seekTo(event);
    });
    this.#canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) seekTo(event);
    });
  }

  get #end(): number {
    return this.#times[this.#times.length - 1] || 1;
  }

  draw(time: number): void {
    const width = this.#canvas.clientWidth;
    const height = this.#canvas.clientHeight;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const pen = this.#canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.#canvas);
    const [low, high] = this.#range;
    const x = (t: number): number => LEFT + (t / this.#end) * (width - LEFT - RIGHT);
    const y = (v: number): number => height - BOTTOM - ((v - low) / (high - low)) * (height - TOP - BOTTOM);
    this.#axes(pen, style, x, y, width, height);
    for (const each of this.#series) this.#curve(pen, each, x, y);
    pen.strokeStyle = style.color;
    pen.lineWidth = 1;
    line(pen, x(time), TOP, x(time), height - BOTTOM);
    const frame = frameAt(this.#times, time);
    for (const each of this.#series) {
      const value = each.values[frame];
      if (Number.isFinite(value)) dot(pen, x(time), y(value), each.colour, style.getPropertyValue("--paper"));
    }
    this.#entries.forEach((entry, i) => (entry.value = settled(this.#series[i].values[frame])));
  }

  #axes(
    pen: CanvasRenderingContext2D,
    style: CSSStyleDeclaration,
    x: (t: number) => number,
    y: (v: number) => number,
    width: number,
    height: number,
  ): void {
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = style.getPropertyValue("--faint");
    pen.strokeStyle = style.getPropertyValue("--line");
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks(...this.#range, Math.max(2, height / 32))) {
      pen.fillText(number(value, 3), LEFT - 6, y(value));
      line(pen, LEFT, y(value), width - RIGHT, y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    for (const value of ticks(0, this.#end, width / 70)) pen.fillText(`${number(value, 3)} s`, x(value), height - 2);
  }

  #curve(
    pen: CanvasRenderingContext2D,
    series: Series,
    x: (t: number) => number,
    y: (v: number) => number,
  ): void {
    pen.strokeStyle = series.colour;
    pen.lineJoin = "round";
    [series.values, ...series.bounds].forEach((values, i) => {
      pen.lineWidth = i ? 1 : 2;
      pen.setLineDash(i ? [2, 3] : series.isDashed ? [5, 3] : []);
      pen.beginPath();
      for (let frame = 0; frame < values.length; frame++) {
        const value = values[frame];
        if (Number.isFinite(value)) pen.lineTo(x(this.#times[frame]), y(value));
      }
      pen.stroke();
    });
    pen.setLineDash([]);
  }
}

/** Format a value without rounding noise. */
function settled(value: number): string {
  return number(Math.round(value * 1e6) / 1e6, 3);
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number, colour: string, rim: string): void {
  pen.fillStyle = colour;
  pen.strokeStyle = rim;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.arc(x, y, 3.5, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
}

function line(pen: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}
