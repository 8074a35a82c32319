// The player: a source on a stage, with its time line, panel, labels and keys.
import { Box3, Object3D, Quaternion, Vector2, Vector3, type Camera } from "three";
import { Clock } from "./clock.ts";
import { values, type EventData, type Source, type TakeData } from "./data.ts";
import { button, element } from "./dom.ts";
import { radius, type Frame, type Vector } from "./framing.ts";
import { follow, makeBatches, type Batch } from "./instancing.ts";
import { actionOf, help, type Key } from "./keyboard.ts";
import { Labels } from "./labels.ts";
import { readLink, writeLink, type Link } from "./link.ts";
import { Model, type Decoders } from "./model.ts";
import { Panel, type Selection } from "./panel.ts";
import { Marker, pick, shownBy, type Picked } from "./picking.ts";
import { Stage, type Theme } from "./stage.ts";
import { SPEEDS, Timeline } from "./timeline.ts";

/** Layers that are hidden until asked for. */
const HIDDEN_AT_FIRST = new Set(["centers_of_mass", "skeleton", "spring_bones", "contacts"]);

/** Pixels that a pointer may move in a click. */
const CLICK = 5;

export interface PlayerOptions {
  /** Whether the page is this player's alone: it owns the keys and the address. */
  isPage: boolean;
  autoplay: boolean;
}

export class Player {
  readonly clock: Clock;
  readonly stage: Stage;
  readonly models: Model[] = [];
  /** Durations of the last frames that were drawn [s]. */
  readonly frameSeconds: number[] = [];
  selection: Selection | null = null;
  #source: Source;
  #options: PlayerOptions;
  #root: HTMLElement;
  #picture = element("div", "picture");
  #canvas = element("canvas", "scene");
  #timeline: Timeline;
  #panel: Panel;
  #labels = new Labels([]);
  #help: HTMLElement;
  #marker = new Marker();
  #batches: Batch[] = [];
  #layers = new Map<string, Object3D[]>();
  #cameras = element("select", "cameras");
  #keys: Key[];
  #isStale = true;
  #last = 0;
  #request = 0;
  #observer: ResizeObserver;
  #undo: (() => void)[] = [];

  constructor(root: HTMLElement, source: Source, options: PlayerOptions) {
    this.#root = root;
    this.#source = source;
    this.#options = options;
    this.clock = new Clock(values(source.floats, source.data.times));
    this.#keys = this.#makeKeys();
    this.#timeline = new Timeline(this.clock, source.data.takes.map((take) => take.events), {
      toggle: () => this.toggle(),
      step: (frames) => this.step(frames),
      seek: (time) => this.seek(time),
      setSpeed: (speed) => this.setSpeed(speed),
      toggleLoop: () => this.#toggleLoop(),
      pickEvent: (event, take) => this.#pickEvent(event, take),
    });
    this.#panel = new Panel(source.data, source.floats, {
      seek: (time) => this.seek(time),
      select: (take, node) => this.select(node, take),
      frame: () => this.frameSelection(),
      setLayer: (name, visible) => this.setLayer(name, visible),
    });
    this.#help = help(this.#keys, () => this.#toggleHelp(false));
    this.#picture.append(this.#canvas, this.#toolbar(), this.#legend());
    root.replaceChildren(this.#picture, this.#timeline.root, this.#panel.root, this.#help);
    this.stage = new Stage(this.#canvas);
    this.stage.scene.add(this.#marker.lines);
    this.stage.controls.addEventListener("change", () => this.invalidate());
    this.#listen();
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(this.#picture);
  }

  /** Load all files, look at them, and start. */
  async start(decoders: Decoders): Promise<void> {
    const { data, models } = this.#source;
    for (const [i, bytes] of models.entries()) {
      const model = await Model.load(bytes, data.takes[i], decoders, this.stage.renderer);
      this.models.push(model);
      this.stage.scene.add(model.root);
    }
    this.stage.useLightsOf(this.models.flatMap((model) => model.lights).length);
    this.#pose();
    this.#batches = this.models.flatMap(makeBatches);
    this.#makeLayers();
    this.#makeLabels();
    this.#makeCameras();
    this.#resize();
    const { frame, direction } = this.#framing();
    this.stage.setFrame(frame, direction);
    this.setTheme(this.#preferredTheme());
    this.stage.frameAll();
    const link = this.#options.isPage ? readLink(location.hash) : {};
    this.#follow(link);
    if (this.#options.autoplay && link.time === undefined) this.play();
    this.#last = performance.now();
    this.#tick(this.#last);
  }

  // --- the clock ---

  get time(): number {
    return this.clock.time;
  }

  play(): void {
    this.clock.play();
    this.invalidate();
  }

  pause(): void {
    this.clock.pause();
    this.invalidate();
  }

  toggle(): void {
    if (this.clock.playing) this.pause();
    else this.play();
  }

  step(frames: number): void {
    this.clock.step(frames);
    this.invalidate();
  }

  seek(time: number): void {
    this.clock.seek(time);
    this.invalidate();
  }

  setSpeed(speed: number): void {
    this.clock.speed = speed;
    this.invalidate();
  }

  #toggleLoop(): void {
    this.clock.loop = !this.clock.loop;
    this.invalidate();
  }

  // --- what is shown ---

  /** Select a node, or nothing. */
  select(node: number | null, take = 0): void {
    const model = this.models[take];
    const object = model?.take.objects.find((each) => each.node === node);
    const name = object?.name ?? String(model?.nodes.get(node ?? -1)?.userData.name ?? `node ${node}`);
    this.selection = node === null ? null : { take, node, name, object };
    this.#marker.mark(node === null ? null : (model ?? null), node ?? -1);
    this.#panel.select(this.selection);
    this.invalidate();
  }

  /** Look at what is selected, or at everything. */
  frameSelection(): void {
    const chosen = this.selection;
    if (chosen) this.stage.frameObjects(shownBy(this.models[chosen.take], chosen.node));
    else this.stage.frameAll();
    this.#cameras.value = "";
    this.invalidate();
  }

  frameAll(): void {
    this.stage.frameAll();
    this.#cameras.value = "";
    this.invalidate();
  }

  get layers(): Map<string, boolean> {
    return new Map([...this.#layers].map(([name, objects]) => [name, objects.some((object) => object.visible)]));
  }

  setLayer(name: string, visible: boolean): void {
    if (name === "labels") this.#labels.root.hidden = !visible;
    for (const object of this.#layers.get(name) ?? []) object.visible = visible;
    this.#panel.showLayer(name, visible);
    this.invalidate();
  }

  setTheme(theme: Theme): void {
    this.#root.dataset.theme = theme;
    this.stage.theme = theme;
    this.invalidate();
  }

  /** The position [m] and rotation (xyzw) of a node in the world, now. */
  worldPose(node: number, take = 0): { translation: number[]; rotation: number[] } | null {
    this.#pose();
    const object = this.models[take]?.nodes.get(node);
    if (!object) return null;
    object.updateWorldMatrix(true, false);
    const [position, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    object.matrixWorld.decompose(position, rotation, scale);
    return { translation: position.toArray(), rotation: rotation.toArray() };
  }

  /** A link to what is seen now. */
  get link(): string {
    const link: Link = { time: this.time, camera: this.stage.view, theme: this.stage.theme };
    if (this.selection) link.selection = [this.selection.take, this.selection.node];
    link.layers = [...this.layers].filter(([, visible]) => visible).map(([name]) => name);
    return `#${writeLink(link)}`;
  }

  /** Calls that the last picture took to draw. */
  get drawCalls(): number {
    return this.stage.renderer.info.render.calls;
  }

  /** Draw anew with the next frame of the display. */
  invalidate(): void {
    this.#isStale = true;
  }

  dispose(): void {
    cancelAnimationFrame(this.#request);
    this.#observer.disconnect();
    for (const undo of this.#undo) undo();
    for (const model of this.models) model.dispose();
    this.stage.dispose();
    this.#root.replaceChildren();
  }

  // --- drawing ---

  #tick = (now: number): void => {
    this.#request = requestAnimationFrame(this.#tick);
    const elapsed = Math.max(0, now - this.#last) / 1000;
    this.#last = now;
    const moved = this.clock.advance(Math.min(elapsed, 0.25));
    if (!moved && !this.#isStale) return;
    this.#isStale = false;
    this.draw();
    if (!moved) return;
    this.frameSeconds.push(elapsed);
    if (this.frameSeconds.length > 240) this.frameSeconds.shift();
  };

  /** Draw the present. */
  draw(): void {
    this.#pose();
    for (const batch of this.#batches) follow(batch);
    this.#marker.follow();
    this.stage.render();
    this.#labels.place(this.stage.eye, this.#picture.clientWidth, this.#picture.clientHeight);
    this.#timeline.show();
    this.#panel.draw(this.time);
  }

  #pose(): void {
    for (const model of this.models) {
      model.pose(this.time);
      model.root.updateMatrixWorld();
    }
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#picture;
    if (!clientWidth || !clientHeight) return;
    this.stage.resize(clientWidth, clientHeight, Math.min(window.devicePixelRatio || 1, 2));
    this.draw(); // at once: a resized canvas is blank until then
  }

  // --- setting up ---

  #framing(): { frame: Frame; direction: Vector } {
    const told = this.#source.data.framing;
    if (told) {
      const frame = { center: told.center as unknown as Vector, halfSize: told.half_size as unknown as Vector };
      return { frame, direction: told.direction as unknown as Vector };
    }
    const box = new Box3();
    for (const model of this.models) box.expandByObject(model.root);
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const center = box.getCenter(new Vector3()).toArray() as Vector;
    const halfSize = box.getSize(new Vector3()).divideScalar(2).toArray() as Vector;
    return { frame: { center, halfSize }, direction: [0.55, 0.42, 1] };
  }

  #makeLayers(): void {
    const layers = this.#layers;
    const overlays = new Set(this.models.flatMap((model) => [...model.layers.values()].flat()));
    const meshes = this.models.flatMap((model) => model.root.children.filter((child) => !overlays.has(child)));
    layers.set("meshes", meshes);
    for (const model of this.models)
      for (const [name, objects] of model.layers) layers.set(name, [...(layers.get(name) ?? []), ...objects]);
    layers.set("grid", [this.stage.ground]);
    for (const [name, objects] of layers)
      if (HIDDEN_AT_FIRST.has(name)) for (const object of objects) object.visible = false;
    this.#panel.setLayers(new Map([...this.layers, ["labels", false]]));
  }

  #makeLabels(): void {
    this.#labels = new Labels(
      this.models.flatMap((model) =>
        model.take.objects.flatMap(({ name, kind, node }) => {
          const object = model.nodes.get(node);
          return object ? [{ name, kind, object }] : [];
        }),
      ),
    );
    this.#picture.append(this.#labels.root);
  }

  #makeCameras(): void {
    const cameras: Camera[] = this.models.flatMap((model) => model.cameras);
    this.#cameras.setAttribute("aria-label", "Camera");
    this.#cameras.append(new Option("free camera", ""));
    cameras.forEach((camera, i) =>
      this.#cameras.append(new Option(String(camera.userData.name || camera.name || `camera ${i + 1}`), String(i))),
    );
    this.#cameras.hidden = cameras.length === 0;
    this.#cameras.addEventListener("change", () => {
      this.stage.fixed = this.#cameras.value ? cameras[Number(this.#cameras.value)] : null;
      this.stage.controls.enabled = this.stage.fixed === null;
      this.invalidate();
    });
  }

  #toolbar(): HTMLElement {
    const bar = element("div", "toolbar");
    bar.append(
      this.#cameras,
      button("⛶", "Frame everything (A)", () => this.frameAll()),
      button("◐", "Dark or light (D)", () => this.#toggleTheme()),
      button("🔗", "Copy a link to this moment (C)", () => void this.copyLink()),
      button("?", "Keys (?)", () => this.#toggleHelp()),
      button("☰", "Panel (P)", () => this.#togglePanel()),
    );
    return bar;
  }

  #legend(): HTMLElement {
    const legend = element("div", "legend");
    const { title, takes } = this.#source.data;
    if (takes.length < 2) legend.append(element("div", "", title));
    for (const take of takes.length > 1 ? takes : []) legend.append(legendEntry(take));
    return legend;
  }

  #follow(link: Link): void {
    if (link.theme) this.setTheme(link.theme as Theme);
    if (link.time !== undefined) this.seek(link.time);
    if (link.camera) this.stage.view = link.camera;
    if (link.selection) this.select(link.selection[1], link.selection[0]);
    if (!link.layers) return;
    const wanted = new Set(link.layers);
    for (const name of this.#layers.keys()) this.setLayer(name, wanted.has(name));
  }

  #preferredTheme(): Theme {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  // --- requests ---

  /** Put a link to this moment into the address and the clipboard. */
  async copyLink(): Promise<void> {
    const link = this.link;
    if (this.#options.isPage) history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(location.href.split("#")[0] + link);
      this.#tell("the link is in the clipboard");
    } catch {
      this.#tell("the link is in the address bar");
    }
  }

  #tell(text: string): void {
    const note = element("div", "note", text);
    this.#picture.append(note);
    setTimeout(() => note.remove(), 2500);
  }

  #toggleTheme(): void {
    this.setTheme(this.stage.theme === "dark" ? "light" : "dark");
  }

  #toggleHelp(open?: boolean): void {
    this.#help.toggleAttribute("open", open);
  }

  #togglePanel(): void {
    const isShown = getComputedStyle(this.#panel.root).display !== "none";
    this.#root.dataset.panel = isShown ? "closed" : "open";
    this.invalidate();
  }

  #pickEvent(event: EventData, take: number): void {
    this.pause();
    this.seek(event.time);
    if (event.nodes.length) this.select(event.nodes[0], take);
  }

  #listen(): void {
    let start: [number, number] | null = null;
    this.#canvas.addEventListener("pointerdown", (event) => (start = [event.clientX, event.clientY]));
    this.#canvas.addEventListener("pointerup", (event) => {
      const isClick = start && Math.hypot(event.clientX - start[0], event.clientY - start[1]) < CLICK;
      start = null;
      if (isClick && event.button === 0) this.#click(event);
    });
    const target: EventTarget = this.#options.isPage ? window : this.#root;
    const press = (event: Event): void => {
      const key = actionOf(this.#keys, event as KeyboardEvent);
      if (!key) return;
      event.preventDefault();
      key.act(event as KeyboardEvent);
    };
    target.addEventListener("keydown", press);
    this.#undo.push(() => target.removeEventListener("keydown", press));
  }

  #click(event: PointerEvent): void {
    const found = this.pickAt(event.clientX, event.clientY);
    this.select(found?.node ?? null, found?.take ?? 0);
  }

  /** Return the body, joint or other object under a point of the window. */
  pickAt(x: number, y: number): Picked | null {
    const box = this.#canvas.getBoundingClientRect();
    const point = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const told = this.#framing().frame;
    const found = pick(point, this.stage.eye, this.models, this.#batches, 0.01 * radius(told));
    if (!found) return null;
    const model = this.models[found.take];
    const known = new Set(model.take.objects.map((object) => object.node));
    return { take: found.take, node: model.nearest(found.node, known) ?? found.node };
  }

  #makeKeys(): Key[] {
    const key = (shown: string, keys: string[], text: string, act: (event: KeyboardEvent) => void): Key => ({
      shown,
      keys,
      text,
      act,
    });
    const faster = (by: number) => (): void => {
      const place = SPEEDS.indexOf(this.clock.speed) + by;
      this.setSpeed(SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)]);
    };
    return [
      key("Space", [" "], "play or pause", () => this.toggle()),
      key("← →", ["ArrowLeft", "ArrowRight"], "one frame back or on; with Shift ten", (event) =>
        this.step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1)),
      ),
      key("Home", ["Home"], "to the start", () => this.seek(0)),
      key("End", ["End"], "to the end", () => this.seek(this.clock.end)),
      key("[", ["["], "slower", faster(-1)),
      key("]", ["]"], "faster", faster(1)),
      key("L", ["l", "L"], "play over and over, or once", () => this.#toggleLoop()),
      key("F", ["f", "F"], "look at what is selected", () => this.frameSelection()),
      key("A", ["a", "A"], "look at everything", () => this.frameAll()),
      key("N", ["n", "N"], "names on or off", () => this.setLayer("labels", Boolean(this.#labels.root.hidden))),
      key("G", ["g", "G"], "grid on or off", () => this.setLayer("grid", !this.stage.ground.visible)),
      key("D", ["d", "D"], "dark or light", () => this.#toggleTheme()),
      key("C", ["c", "C"], "copy a link to this moment", () => void this.copyLink()),
      key("P", ["p", "P"], "panel on or off", () => this.#togglePanel()),
      key("Esc", ["Escape"], "select nothing", () => {
        this.#toggleHelp(false);
        this.select(null);
      }),
      key("?", ["?"], "this list", () => this.#toggleHelp()),
    ];
  }
}

function legendEntry(take: TakeData): HTMLElement {
  const entry = element("div", "");
  const mark = element("i", "");
  mark.style.background = take.colour ?? "";
  entry.append(mark, take.title);
  return entry;
}
