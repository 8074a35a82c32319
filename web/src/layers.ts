// Layers: what of a picture is shown together, and hidden together.
import type { Object3D } from "three";
import type { Model } from "./model.ts";

/** Layers that are hidden until asked for. */
const HIDDEN_AT_FIRST = new Set(["centers_of_mass", "contacts", "labels", "skeleton", "spring_bones"]);

/** Something that is shown or hidden. */
export interface Showable {
  visible: boolean;
}

export class Layers {
  #shown = new Map<string, Showable[]>();

  /** Take in the meshes and the overlays of all models, and other layers by name. */
  constructor(models: Model[], others: Map<string, Showable>) {
    for (const model of models) {
      const overlays = new Set<Object3D>([...model.layers.values()].flat());
      this.#add("meshes", ...model.root.children.filter((child) => !overlays.has(child)));
      for (const [name, objects] of model.layers) this.#add(name, ...objects);
    }
    for (const [name, shown] of others) this.#add(name, shown);
    for (const name of HIDDEN_AT_FIRST) this.set(name, false);
  }

  #add(name: string, ...shown: Showable[]): void {
    this.#shown.set(name, [...(this.#shown.get(name) ?? []), ...shown]);
  }

  /** All layers, with whether they are visible. */
  get all(): Map<string, boolean> {
    return new Map([...this.#shown.keys()].map((name) => [name, this.isVisible(name)]));
  }

  isVisible(name: string): boolean {
    return this.#shown.get(name)?.some((each) => each.visible) ?? false;
  }

  set(name: string, visible: boolean): void {
    for (const each of this.#shown.get(name) ?? []) each.visible = visible;
  }
}
