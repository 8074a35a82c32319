// The player: a source on a stage, with its time line, panel, labels and keys.
import { Quaternion, Vector2, Vector3, type Camera } from "three";
import { Clock } from "./clock.ts";
import { framing, values, type EventData, type Source } from "./data.ts";
import { element } from "./dom.ts";
import { radius } from "./framing.ts";
import { follow, makeBatches, type Batch } from "./instancing.ts";
import { help, keysOf, type Key } from "./keyboard.ts";
import { labelled, Labels } from "./labels.ts";
import { Layers, MESHES, type Showable } from "./layers.ts";
import { readLink, writeLink, type Link } from "./link.ts";
import { Model, type Decoders } from "./model.ts";
import { Panel, plotsBeside, type Selection } from "./panel.ts";
import { boxOf, Marker, pick, type Picked } from "./picking.ts";
import { onClick, onKeys } from "./pointing.ts";
import type { Plot } from "./plot.ts";
import { Stage, type Theme } from "./stage.ts";
import { Timeline } from "./timeline.ts";
import { legend, Toolbar } from "./toolbar.ts";

/** Width of a picture [pixels] up to which the toolbar covers most of it. */
const NARROW = 520;

/** Distance up to which two takes agree, relative to the size of the picture. */
const AGREEMENT = 0.003;

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
  isDisposed = false;
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
  #layers = new Layers([], new Map());
  #toolbar: Toolbar;
  #keys: Key[];
  #beside: { root: HTMLElement; plots: Plot[] } | null = null;
  /** Whether the view is the initial one, not chosen by the user. */
  #isFirstView = true;
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
    this.#keys = keysOf(this);
    this.#timeline = new Timeline(this.clock, source.data.takes.map((take) => take.events), {
      toggle: () => this.toggle(),
      step: (frames) => this.step(frames),
      seek: (time) => this.seek(time),
      setSpeed: (speed) => this.setSpeed(speed),
      toggleLoop: () => this.toggleLoop(),
      pickEvent: (event, take) => this.#pickEvent(event, take),
    });
    this.#panel = new Panel(source.data, source.floats, {
      seek: (time) => this.seek(time),
      select: (take, node) => this.select(node, take),
      frame: () => this.frameSelection(),
      setLayer: (name, visible) => this.setLayer(name, visible),
    });
    this.#help = help(this.#keys, () => this.toggleHelp(false));
    this.#toolbar = new Toolbar({
      frameAll: () => this.frameAll(),
      toggleTheme: () => this.toggleTheme(),
      copyLink: () => void this.copyLink(),
      toggleHelp: () => this.toggleHelp(),
      togglePanel: () => this.togglePanel(),
      look: (camera) => this.look(camera),
    });
    this.#picture.append(this.#canvas, this.#toolbar.root, legend(source.data));
    root.replaceChildren(this.#picture, this.#timeline.root, this.#panel.root, this.#help);
    this.stage = new Stage(this.#canvas);
    this.stage.scene.add(this.#marker.lines);
    this.stage.controls.addEventListener("change", () => this.invalidate());
    this.stage.controls.addEventListener("start", () => (this.#isFirstView = false));
    onClick(this.#canvas, (event) => this.#click(event));
    this.#undo.push(onKeys(options.isPage ? window : root, this.#keys));
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(this.#picture);
  }

  /** Load all files, look at them, and start. */
  async start(decoders: Decoders): Promise<void> {
    const { data, models } = this.#source;
    for (const [i, bytes] of models.entries()) {
      const options = { isLater: i > 0, reach: AGREEMENT * radius(framing(data.framing)[0]) };
      const model = await Model.load(bytes, data.takes[i], decoders, this.stage.renderer, options);
      if (this.isDisposed) return model.dispose();
      this.models.push(model);
      this.stage.scene.add(model.root);
    }
    this.stage.useLights(this.models.flatMap((model) => model.lights));
    this.#pose();
    this.#batches = this.models.flatMap(makeBatches);
    this.#labels = new Labels(this.models.flatMap(labelled));
    this.#picture.append(this.#labels.root);
    const own: [string, Showable][] = [[MESHES, this.stage.meshes], ["grid", this.stage.ground.root], ["labels", this.#labels]];
    this.#layers = new Layers(this.models, new Map(own));
    this.#panel.setLayers(this.layers);
    this.#toolbar.setCameras(this.models.flatMap((model) => model.cameras));
    this.#resize();
    this.stage.setFrame(...framing(data.framing), data.framing.floor);
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

  toggleLoop(): void {
    this.clock.loop = !this.clock.loop;
    this.invalidate();
  }

  // --- selection and view ---

  /** Select a node; null clears the selection. */
  select(node: number | null, take = 0): void {
    const model = this.models[take];
    const object = model?.take.objects.find((each) => each.node === node);
    const name = object?.name ?? String(model?.nodes.get(node ?? -1)?.userData.name ?? `node ${node}`);
    this.selection = node === null ? null : { take, node, name, object };
    this.#marker.mark(node === null ? null : (model ?? null), node ?? -1);
    this.#labels.choose(name, (node !== null && model?.nodes.get(node)) || null);
    this.#panel.select(this.selection);
    this.invalidate();
  }

  /** Look at the selection, or at everything. */
  frameSelection(): void {
    const chosen = this.selection;
    if (chosen) this.stage.frameBox(boxOf(this.models[chosen.take].meshesOf(chosen.node)));
    else this.stage.frameAll();
    this.#isFirstView = !chosen;
    this.#toolbar.release();
    this.invalidate();
  }

  frameAll(): void {
    this.stage.frameAll();
    this.#isFirstView = true;
    this.#toolbar.release();
    this.invalidate();
  }

  /** Look through a camera of the file, or freely. */
  look(through: Camera | null): void {
    this.stage.fixed = through;
    this.stage.controls.enabled = through === null;
    this.invalidate();
  }

  /** All layers, with whether they are visible. */
  get layers(): Map<string, boolean> {
    return this.#layers.all;
  }

  setLayer(name: string, visible: boolean): void {
    this.#layers.set(name, visible);
    this.#panel.showLayer(name, visible);
    this.invalidate();
  }

  toggleLayer(name: string): void {
    this.setLayer(name, !this.#layers.isVisible(name));
  }

  setTheme(theme: Theme): void {
    this.#root.dataset.theme = theme;
    if (this.#beside) this.#beside.root.dataset.theme = theme;
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

  /** A link to the current view. */
  get link(): string {
    const link: Link = { time: this.time, camera: this.stage.view, theme: this.stage.theme };
    if (this.selection) link.selection = [this.selection.take, this.selection.node];
    link.layers = [...this.layers].filter(([, visible]) => visible).map(([name]) => name);
    return `#${writeLink(link)}`;
  }

  /** Draw calls of the last picture. */
  get drawCalls(): number {
    return this.stage.renderer.info.render.calls;
  }

  /** Redraw with the next frame of the display. */
  invalidate(): void {
    this.#isStale = true;
  }

  dispose(): void {
    this.isDisposed = true;
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

  /** Draw the current frame. */
  draw(): void {
    this.#pose();
    for (const batch of this.#batches) follow(batch);
    this.#marker.follow();
    this.stage.render();
    this.#labels.place(this.stage.eye, this.#picture.clientWidth, this.#picture.clientHeight);
    this.#timeline.show();
    this.#panel.draw(this.time);
    for (const plot of this.#beside?.plots ?? []) plot.draw(this.time);
  }

  /** Draw the curves of the source into an element beside this one, from now on. */
  drawBeside(root: HTMLElement): void {
    const plots = plotsBeside(this.#source.data, this.#source.floats, (time) => this.seek(time));
    root.replaceChildren(...plots.map((plot) => plot.root));
    root.dataset.theme = this.stage.theme;
    this.#beside = { root, plots };
    this.invalidate();
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
    const left = Number.parseFloat(getComputedStyle(this.#root).getPropertyValue("--free")) || 0;
    // In a narrow picture the toolbar is above the content, not beside it.
    this.stage.leaveFree(left, clientWidth < NARROW ? this.#toolbar.root.offsetHeight : 0);
    this.stage.resize(clientWidth, clientHeight, Math.min(window.devicePixelRatio || 1, 2));
    if (this.#isFirstView && !this.stage.fixed) this.stage.frameAll();
    this.draw(); // at once: a resized canvas is blank until then
  }

  // --- setting up ---

  #follow(link: Link): void {
    if (link.theme) this.setTheme(link.theme as Theme);
    if (link.time !== undefined) this.seek(link.time);
    if (link.camera) {
      this.stage.view = link.camera;
      this.#isFirstView = false;
    }
    if (link.selection) this.select(link.selection[1], link.selection[0]);
    if (!link.layers) return;
    const wanted = new Set(link.layers);
    for (const name of this.layers.keys()) this.setLayer(name, wanted.has(name));
  }

  #preferredTheme(): Theme {
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  // --- requests ---

  /** Copy a link to this moment to the address bar and the clipboard. */
  async copyLink(): Promise<void> {
    const link = this.link;
    if (this.#options.isPage) history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(location.href.split("#")[0] + link);
      this.#notify("the link is in the clipboard");
    } catch {
      this.#notify("the link is in the address bar");
    }
  }

  #notify(text: string): void {
    const note = element("div", "note", text);
    this.#picture.append(note);
    setTimeout(() => note.remove(), 2500);
  }

  toggleTheme(): void {
    this.setTheme(this.stage.theme === "dark" ? "light" : "dark");
  }

  toggleHelp(open?: boolean): void {
    this.#help.toggleAttribute("open", open);
  }

  togglePanel(): void {
    this.showPanel(getComputedStyle(this.#panel.root).display === "none");
  }

  /** Show or hide the panel. */
  showPanel(isShown: boolean): void {
    this.#root.dataset.panel = isShown ? "open" : "closed";
    this.invalidate();
  }

  #pickEvent(event: EventData, take: number): void {
    this.pause();
    this.seek(event.time);
    if (event.nodes.length) this.select(event.nodes[0], take);
  }

  #click(event: PointerEvent): void {
    const found = this.pickAt(event.clientX, event.clientY);
    this.select(found?.node ?? null, found?.take ?? 0);
    if (found) this.showPanel(true);
  }

  /** Return the body, joint or other object under a point of the window. */
  pickAt(x: number, y: number): Picked | null {
    const box = this.#canvas.getBoundingClientRect();
    const point = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    const reach = 0.01 * radius(framing(this.#source.data.framing)[0]);
    const found = pick(point, this.stage.eye, this.models, this.#batches, reach);
    if (!found) return null;
    const model = this.models[found.take];
    const known = new Set(model.take.objects.map((object) => object.node));
    return { take: found.take, node: model.nearest(found.node, known) ?? found.node };
  }
}
