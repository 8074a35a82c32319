// Layers: groups of objects that are shown and hidden together.
import type { Model } from "./model.ts";

/** The layer of everything except overlays. */
export const MESHES = "meshes";

/** Something that is shown or hidden. */
export interface Showable {
  visible: boolean;
}

export class Layers {
  #shown = new Map<string, Showable[]>();

  /** Add layers by name, and the overlays of all models; each model says which are visible at first. */
  constructor(models: Model[], others: Map<string, Showable>) {
    for (const [name, shown] of others) this.#shown.set(name, [shown]);
    for (const model of models)
      for (const [name, objects] of model.layers) {
        this.#shown.set(name, [...(this.#shown.get(name) ?? []), ...objects]);
        this.set(name, model.take.layers.includes(name));
      }
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
