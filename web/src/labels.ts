// Labels of nodes in the picture: all of them, or only the selection's.
import { Vector3, type Camera, type Object3D } from "three";
import { element } from "./dom.ts";
import type { Model } from "./model.ts";

/** Most labels shown. */
const MOST = 120;

/** Gap between labels [pixels]. */
const GAP = 2;

export interface Labelled {
  name: string;
  kind: string;
  object: Object3D;
}

interface Label {
  element: HTMLElement;
  object: Object3D;
  width: number;
  height: number;
}

export class Labels {
  readonly root = element("div", "labels");
  /** Whether all labels are shown, or only the selection's. */
  visible = false;
  #labels: Label[];
  #chosen: Label | null = null;

  constructor(named: Labelled[]) {
    this.#labels = named.slice(0, MOST).map(({ name, kind, object }) => this.#add(name, kind, object));
  }

  /** Label the selected node, above all others; null clears the label. */
  choose(name: string, object: Object3D | null): void {
    this.#chosen?.element.remove();
    this.#chosen = object ? this.#add(name, "chosen", object) : null;
  }

  /** Place labels; those that would cover a nearer one are hidden. */
  place(camera: Camera, width: number, height: number): void {
    const taken: [number, number, number, number][] = [];
    const chosen = this.#chosen;
    const others = this.visible ? this.#labels.filter((each) => each.object !== chosen?.object) : [];
    for (const each of this.#labels) each.element.hidden = true;
    const placed = others
      .map((label) => ({ label, at: project(label.object, camera) }))
      .sort((a, b) => a.at.z - b.at.z);
    if (chosen) placed.unshift({ label: chosen, at: project(chosen.object, camera) });
    for (const { label, at } of placed) {
      label.element.hidden = !(Math.abs(at.x) < 1 && Math.abs(at.y) < 1 && at.z < 1);
      if (label.element.hidden) continue;
      label.width ||= label.element.offsetWidth;
      label.height ||= label.element.offsetHeight;
      const x = ((at.x + 1) / 2) * width - label.width / 2;
      const y = ((1 - at.y) / 2) * height - (label === chosen ? 2 * label.height : label.height / 2);
      const box: (typeof taken)[0] = [x - GAP, y - GAP, x + label.width + GAP, y + label.height + GAP];
      label.element.hidden = taken.some((other) => overlaps(box, other));
      if (label.element.hidden) continue;
      taken.push(box);
      label.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  #add(name: string, kind: string, object: Object3D): Label {
    const made = element("span", kind, name);
    this.root.append(made);
    return { element: made, object, width: 0, height: 0 };
  }
}

/** Return the objects of a model that can have labels. */
export function labelled(model: Model): Labelled[] {
  return model.take.objects.flatMap(({ name, kind, node }) => {
    const object = model.nodes.get(node);
    return object ? [{ name, kind, object }] : [];
  });
}

function project(object: Object3D, camera: Camera): Vector3 {
  return new Vector3().setFromMatrixPosition(object.matrixWorld).project(camera);
}

function overlaps(a: readonly number[], b: readonly number[]): boolean {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}
