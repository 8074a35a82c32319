// Layers: what of a picture is shown together, and hidden together.
import { Line, Mesh, Points, type Object3D } from "three";
import { isTransparent, type Model } from "./model.ts";

/** Layers that are hidden until asked for. */
const HIDDEN_AT_FIRST = new Set([
  "centers_of_mass",
  "constraints",
  "contacts",
  "labels",
  "skeleton",
  "spring_bones",
]);

/** Something that is shown or hidden. */
export interface Showable {
  visible: boolean;
}

export class Layers {
  #shown = new Map<string, Showable[]>();

  /** Take in the meshes and the overlays of all models, and other layers by name. */
  constructor(models: Model[], others: Map<string, Showable>) {
    let isFilled = false; // colliders are, where no mesh shows them
    for (const model of models) {
      model.root.traverse((object) => {
        if (!isDrawn(object) || object.layers.mask === 0) return;
        const layer = model.layerOf(object) ?? "meshes";
        isFilled ||= layer === "colliders" && object instanceof Mesh && isTransparent(object);
        this.#add(layer, new Drawn(object));
      });
    }
    for (const [name, shown] of others) this.#add(name, shown);
    for (const name of HIDDEN_AT_FIRST) this.set(name, false);
    if (!isFilled) this.set("colliders", false);
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

/** An object alone: overlays are children of what they follow, and stay when that is hidden. */
class Drawn implements Showable {
  readonly #object: Object3D;

  constructor(object: Object3D) {
    this.#object = object;
  }

  get visible(): boolean {
    return this.#object.layers.mask !== 0;
  }

  set visible(visible: boolean) {
    if (visible) this.#object.layers.set(0);
    else this.#object.layers.disableAll();
  }
}

function isDrawn(object: Object3D): boolean {
  return object instanceof Mesh || object instanceof Line || object instanceof Points;
}
