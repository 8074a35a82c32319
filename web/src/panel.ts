// The panel beside the picture: the selection, curves, layers and findings of the checker.
import type { FindingData, ObjectData, PageData, SeriesData } from "./data.ts";
import { frameAt } from "./clock.ts";
import { values } from "./data.ts";
import { button, element } from "./dom.ts";
import { Plot, type Series } from "./plot.ts";
import { quantity } from "./ticks.ts";

const COLOURS = ["#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c92a2a", "#0c8599", "#5f3dc4", "#846200"];

const ENERGY = "Energy [J]";

/** Objects in the list; others can be clicked. */
const MOST = 2000;

export interface PanelRequests {
  seek(time: number): void;
  select(take: number, node: number | null): void;
  frame(): void;
  setLayer(name: string, visible: boolean): void;
}

export interface Selection {
  take: number;
  node: number;
  name: string;
  object: ObjectData | undefined;
}

export class Panel {
  readonly root = element("aside", "panel");
  #data: PageData;
  #floats: Float32Array;
  #requests: PanelRequests;
  #list = element("select", "objects");
  #details = element("div", "details");
  #plots = element("div", "plots");
  #shown: Plot[] = [];
  #fixed: Plot[];
  #live: { cell: HTMLElement; unit: string; values: Float32Array }[] = [];
  #boxes = new Map<string, HTMLInputElement>();
  #layers = element("div", "layers");

  constructor(data: PageData, floats: Float32Array, requests: PanelRequests) {
    this.#data = data;
    this.#floats = floats;
    this.#requests = requests;
    const findings = data.takes.flatMap((take, i) => take.findings.map((finding) => ({ finding, take: i })));
    this.#fixed = this.#energies();
    this.root.append(
      section("Selection", this.#chooser(), this.#details),
      section("Curves", this.#plots),
      section("Layers", this.#layers),
    );
    if (findings.length) {
      const list = element("div", "findings");
      for (const { finding, take } of findings) list.append(this.#finding(finding, take));
      this.root.append(section(`Checker: ${findings.length} found`, list));
    }
    this.select(null);
  }

  /** Show a selection, or the list of objects. */
  select(selection: Selection | null): void {
    this.#details.replaceChildren();
    this.#live = [];
    this.#list.value = selection?.object ? `${selection.take}.${selection.node}` : "";
    if (selection) {
      this.#details.append(this.#head(selection), this.#rows(selection));
    }
    const own = selection?.object ? this.#plotsOf(selection) : [];
    this.#shown = [...own, ...this.#fixed];
    this.#plots.replaceChildren(...this.#shown.map((plot) => plot.root));
    if (!this.#shown.length) this.#plots.append(element("p", "faint", "Nothing is measured here."));
  }

  /** List the layers, with those that are visible checked. */
  setLayers(layers: Map<string, boolean>): void {
    this.#boxes.clear();
    this.#layers.replaceChildren();
    for (const [name, visible] of layers) {
      const label = element("label", "");
      const box = element("input", "");
      box.type = "checkbox";
      box.checked = visible;
      box.addEventListener("change", () => this.#requests.setLayer(name, box.checked));
      label.append(box, ` ${name.replaceAll("_", " ")}`);
      this.#layers.append(label);
      this.#boxes.set(name, box);
    }
  }

  showLayer(name: string, visible: boolean): void {
    const box = this.#boxes.get(name);
    if (box) box.checked = visible;
  }

  draw(time: number): void {
    for (const plot of this.#shown) plot.draw(time);
    const frame = frameAt(values(this.#floats, this.#data.times), time);
    for (const { cell, unit, values: list } of this.#live) cell.textContent = quantity(list[frame], unit);
  }

  /** Make the header of a selection: its name, its kind and the button that frames it. */
  #head({ name, object }: Selection): HTMLElement {
    const head = element("div", "head");
    const look = button("frame", "Look at it (F)", () => this.#requests.frame());
    head.append(element("b", "", name), element("span", "kind", object?.kind ?? "node"), look);
    return head;
  }

  /** Make the table of a selection: its properties, and below them its current measurements. */
  #rows(selection: Selection): HTMLElement {
    const table = element("table", "rows");
    const rows = selection.object?.rows ?? [["node", String(selection.node)]];
    for (const [label, value] of rows.filter((row) => row[0] !== "name")) addRow(table, label, value).classList.add(...severityOf(label));
    for (const series of selection.object?.series ?? []) {
      const cell = addRow(table, series.name, "");
      cell.className = "live";
      this.#live.push({ cell, unit: series.unit, values: values(this.#floats, series.values) });
    }
    return table;
  }

  #chooser(): HTMLElement {
    const list = this.#list;
    list.setAttribute("aria-label", "Objects");
    list.append(new Option("click a body or joint, or choose one", ""));
    const { takes } = this.#data;
    takes.forEach((take, i) => {
      const group = takes.length > 1 ? element("optgroup", "") : list;
      if (group instanceof HTMLOptGroupElement) {
        group.label = take.title;
        list.append(group);
      }
      for (const object of take.objects.slice(0, MOST))
        group.append(new Option(`${object.name} (${object.kind})`, `${i}.${object.node}`));
    });
    list.addEventListener("change", () => {
      const [take, node] = list.value.split(".").map(Number);
      this.#requests.select(take || 0, list.value ? node : null);
    });
    return list;
  }

  #finding(finding: FindingData, take: number): HTMLElement {
    const item = element("button", `finding ${finding.severity}`);
    item.append(element("b", "", finding.code), ` ${finding.message}`, element("small", "", finding.pointer));
    item.disabled = finding.node === null;
    item.addEventListener("click", () => this.#requests.select(take, finding.node));
    return item;
  }

  #energies(): Plot[] {
    const series = this.#data.takes.flatMap((take, i) => this.#series(take.energies, i));
    return series.length ? [this.#plot(ENERGY, series)] : [];
  }

  /** Make the plots of a selection: each of all takes. */
  #plotsOf(selection: Selection): Plot[] {
    const same = this.#data.takes.map((take, i) =>
      i === selection.take ? selection.object : take.objects.find((object) => object.name === selection.name),
    );
    const titles = [...new Set(same.flatMap((object) => object?.series.map((each) => each.plot) ?? []))];
    return titles.map((title) => {
      const series = same.flatMap((object, i) =>
        this.#series(object?.series.filter((each) => each.plot === title) ?? [], i),
      );
      return this.#plot(title, series);
    });
  }

  #series(list: SeriesData[], take: number): Series[] {
    const { takes } = this.#data;
    return list.map((each, i) => {
      const series = { ...seriesOf(each, this.#floats, COLOURS[i % COLOURS.length]), isDashed: take > 0 };
      return takes.length > 1 ? { ...series, name: `${each.name}, ${takes[take].title}` } : series;
    });
  }

  #plot(title: string, series: Series[]): Plot {
    return new Plot(title, values(this.#floats, this.#data.times), series, (time) => this.#requests.seek(time));
  }
}

/** Make the plots of the curves that stand beside a player. */
export function plotsBeside(data: PageData, floats: Float32Array, seek: (time: number) => void): Plot[] {
  return [...new Set(data.curves.map((each) => each.plot))].map((title) => {
    const listed = data.curves.filter((each) => each.plot === title);
    const series = listed.map((each, i) => seriesOf(each, floats, COLOURS[i % COLOURS.length]));
    return new Plot(title, values(floats, data.times), series, seek);
  });
}

function seriesOf(each: SeriesData, floats: Float32Array, colour: string): Series {
  return {
    name: each.name,
    colour,
    unit: each.unit,
    values: values(floats, each.values),
    isDashed: false,
    bounds: [each.minimum, each.maximum].flatMap((span) => (span ? [values(floats, span)] : [])),
  };
}

function section(title: string, ...content: HTMLElement[]): HTMLElement {
  const made = element("details", "");
  made.open = true;
  made.append(element("summary", "", title), ...content);
  return made;
}

function addRow(table: HTMLTableElement, label: string, value: string): HTMLElement {
  const row = table.insertRow();
  row.append(element("th", "", label));
  const cell = row.insertCell();
  cell.textContent = value;
  return cell;
}

function severityOf(label: string): string[] {
  return ["error", "warning", "info", "hint"].includes(label) ? ["finding", label] : [];
}
