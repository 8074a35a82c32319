// The corner of the picture: cameras of the file, and actions on the view.
import type { Camera } from "three";
import type { PageData } from "./data.ts";
import { button, element } from "./dom.ts";

export interface ToolbarRequests {
  frameAll(): void;
  toggleTheme(): void;
  copyLink(): void;
  toggleHelp(): void;
  togglePanel(): void;
  look(through: Camera | null): void;
}

export class Toolbar {
  readonly root = element("div", "toolbar");
  #cameras = element("select", "cameras");
  #requests: ToolbarRequests;

  constructor(requests: ToolbarRequests) {
    this.#requests = requests;
    this.#cameras.setAttribute("aria-label", "Camera");
    this.#cameras.hidden = true;
    this.root.append(
      this.#cameras,
      button("frame", "Frame everything (A)", requests.frameAll),
      button("theme", "Dark or light (D)", requests.toggleTheme),
      button("link", "Copy a link to this moment (C)", requests.copyLink),
      button("keys", "Keys (?)", requests.toggleHelp),
      button("panel", "Panel (P)", requests.togglePanel),
    );
  }

  /** List the cameras of the file. */
  setCameras(cameras: Camera[]): void {
    this.#cameras.append(new Option("free camera", ""));
    cameras.forEach((camera, i) => {
      const name = String(camera.userData.name || camera.name || `camera ${i + 1}`);
      this.#cameras.append(new Option(name, String(i)));
    });
    this.#cameras.hidden = cameras.length === 0;
    this.#cameras.addEventListener("change", () => {
      this.#requests.look(this.#cameras.value ? cameras[Number(this.#cameras.value)] : null);
    });
  }

  /** Show that the camera is free again. */
  release(): void {
    this.#cameras.value = "";
  }
}

/** Make the title, or the colour and title of each take where there are several. */
export function legend({ title, takes }: PageData): HTMLElement {
  const made = element("div", "legend");
  if (takes.length < 2) made.append(element("div", "", title));
  for (const take of takes.length > 1 ? takes : []) {
    const entry = element("div", "");
    const mark = element("i", "");
    mark.style.background = take.colour ?? "";
    entry.append(mark, take.title);
    made.append(entry);
  }
  return made;
}
