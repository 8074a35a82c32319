// Names beside what they name, in the picture.
import { Vector3, type Camera, type Object3D } from "three";
import { element } from "./dom.ts";

/** Labels at most. */
const MOST = 120;

export interface Labelled {
  name: string;
  kind: string;
  object: Object3D;
}

export class Labels {
  readonly root = element("div", "labels");
  #pairs: { label: HTMLElement; object: Object3D }[];

  constructor(labelled: Labelled[]) {
    this.visible = false;
    this.#pairs = labelled.slice(0, MOST).map(({ name, kind, object }) => {
      const label = element("span", kind, name);
      this.root.append(label);
      return { label, object };
    });
  }

  get visible(): boolean {
    return !this.root.hidden;
  }

  set visible(visible: boolean) {
    this.root.hidden = !visible;
  }

  place(camera: Camera, width: number, height: number): void {
    if (!this.visible) return;
    const point = new Vector3();
    for (const { label, object } of this.#pairs) {
      point.setFromMatrixPosition(object.matrixWorld).project(camera);
      label.hidden = !(Math.abs(point.x) < 1 && Math.abs(point.y) < 1 && point.z < 1);
      const x = ((point.x + 1) / 2) * width;
      const y = ((1 - point.y) / 2) * height;
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }
}
