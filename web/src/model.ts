// One glTF file in the scene: its nodes by number, its layers, and its motion.
import {
  BufferGeometry,
  Camera,
  Light,
  Line,
  LoadingManager,
  Mesh,
  Object3D,
  Points,
  SkinnedMesh,
  type Material,
  type WebGLRenderer,
} from "three";
import { DRACOLoader } from "three/examples/jsm/loaders/DRACOLoader.js";
import { GLTFLoader, type GLTFParser } from "three/examples/jsm/loaders/GLTFLoader.js";
import { KTX2Loader } from "three/examples/jsm/loaders/KTX2Loader.js";
import { MeshoptDecoder } from "three/examples/jsm/libs/meshopt_decoder.module.js";
import type { TakeData } from "./data.ts";
import { Motion, WEIGHTS } from "./motion.ts";
import { MESH_LAYER } from "./stage.ts";
import { takeMaterial } from "./stripes.ts";

interface OverlayMark {
  layer: string;
  of: number | null;
}

/** URLs of the decoders in the page, by file name. */
export type Decoders = ReadonlyMap<string, string>;

export class Model {
  readonly root: Object3D;
  readonly take: TakeData;
  /** The object of every node in the scene. */
  readonly nodes = new Map<number, Object3D>();
  /** The number of every object that is a node. */
  readonly numbers = new Map<Object3D, number>();
  /** The topmost object of every layer. */
  readonly layers = new Map<string, Object3D[]>();
  /** The overlays of every node. */
  readonly overlays = new Map<number, Object3D[]>();
  readonly cameras: Camera[] = [];
  readonly lights: Light[] = [];
  readonly motion: Motion;

  private constructor(root: Object3D, parser: GLTFParser, take: TakeData) {
    this.root = root;
    this.take = take;
    root.traverse((object) => {
      const node = parser.associations.get(object)?.nodes;
      if (node !== undefined) {
        this.nodes.set(node, object);
        this.numbers.set(object, node);
      }
      if (object instanceof Camera) this.cameras.push(object);
      if (object instanceof Light) this.lights.push(object);
      this.#noteOverlay(object);
      if (isHidden(object)) object.visible = false;
    });
    this.motion = new Motion(root);
  }

  /** Load a file. If it `isLater` than others in the picture, it is striped with objects within `reach` [m]. */
  static async load(
    bytes: ArrayBuffer,
    take: TakeData,
    decoders: Decoders,
    renderer: WebGLRenderer,
    { isLater = false, reach = 0 } = {},
  ): Promise<Model> {
    const { loader, dispose } = makeLoader(decoders, renderer);
    loader.register((parser) => {
      const json = parser.json as FileJson;
      keepOneScene(json, take.scene);
      delete json.extensionsRequired; // physics is already baked: no reason to warn
      return { name: "LIGAMENT_one_scene" };
    });
    try {
      const gltf = await loader.parseAsync(bytes, "");
      const model = new Model(gltf.scene, gltf.parser, take);
      if (take.animation !== null) model.motion.add(gltf.animations[take.animation], (p) => p !== WEIGHTS);
      for (const clip of take.clips) model.motion.add(gltf.animations[clip], (p) => p === WEIGHTS, take.loops);
      model.#prepareMeshes();
      if (take.colour !== null) model.#colour(take.colour, isLater, reach);
      return model;
    } finally {
      dispose();
    }
  }

  /** Pose all objects at a time [s]. */
  pose(time: number): void {
    this.motion.pose(time);
  }

  /** Return the node that an object belongs to: its own, that of an overlay, or an ancestor. */
  nodeOf(object: Object3D): number | null {
    for (let at: Object3D | null = object; at; at = at.parent) {
      const mark = overlayMark(at);
      if (mark) {
        if (mark.of !== null) return mark.of;
        continue;
      }
      const node = this.numbers.get(at);
      if (node !== undefined) return node;
    }
    return null;
  }

  /** Return the meshes of a node, without those of other bodies below; else its overlays. */
  meshesOf(node: number): Mesh[] {
    const found: Mesh[] = [];
    const bodies = new Set(this.take.objects.filter((object) => object.kind === "body").map((object) => object.node));
    const collect = (object: Object3D): void => {
      if (overlayMark(object)) return;
      if (object instanceof Mesh) found.push(object);
      for (const child of object.children) if (!bodies.has(this.numbers.get(child) ?? -1)) collect(child);
    };
    const object = this.nodes.get(node);
    if (object) collect(object);
    if (found.length) return found;
    for (const overlay of this.overlays.get(node) ?? [])
      overlay.traverse((each) => void (each instanceof Mesh && found.push(each)));
    return found;
  }

  /** Return the nearest node at or above one that is in a set. */
  nearest(node: number, wanted: ReadonlySet<number>): number | null {
    for (let at = this.nodes.get(node) ?? null; at; at = at.parent) {
      const number = this.numbers.get(at);
      if (number !== undefined && wanted.has(number)) return number;
    }
    return null;
  }

  /** The name of the layer that an object is in, or null. */
  layerOf(object: Object3D): string | null {
    for (let at: Object3D | null = object; at; at = at.parent) {
      const mark = overlayMark(at);
      if (mark) return mark.layer;
    }
    return null;
  }

  #noteOverlay(object: Object3D): void {
    const mark = overlayMark(object);
    if (!mark) return;
    if (!object.parent || !overlayMark(object.parent)) append(this.layers, mark.layer, object);
    if (mark.of !== null) append(this.overlays, mark.of, object);
  }

  #prepareMeshes(): void {
    this.root.traverse((object) => {
      if (this.layerOf(object) !== null) return;
      if (isDrawn(object)) object.layers.set(MESH_LAYER);
      if (!(object instanceof Mesh)) return;
      object.castShadow = !isTransparent(object);
      object.receiveShadow = true;
      if (object instanceof SkinnedMesh) object.frustumCulled = false; // its bounds are those at rest
    });
  }

  /** Give moving objects one colour; hide the rest if another take shows it. */
  #colour(colour: string, striped: boolean, reach: number): void {
    const paint = takeMaterial(colour, striped, reach);
    const moving = new Set(this.take.moving);
    this.root.traverse((object) => {
      const layer = this.layerOf(object);
      if (!(object instanceof Mesh) || (layer !== null && layer !== "colliders")) return;
      if (this.#moves(object, moving)) {
        if (object.geometry.attributes.normal === undefined) object.geometry.computeVertexNormals();
        object.material = paint;
      } else if (!this.take.shows_still) {
        object.layers.disableAll();
      }
    });
  }

  #moves(object: Object3D, moving: ReadonlySet<number>): boolean {
    const bones = object instanceof SkinnedMesh ? object.skeleton.bones : [];
    return [object, ...bones].some((each) => {
      const node = this.nodeOf(each);
      return node !== null && this.nearest(node, moving) !== null;
    });
  }

  dispose(): void {
    this.root.traverse((object) => {
      const drawn = object as { geometry?: BufferGeometry; material?: Material | Material[] };
      drawn.geometry?.dispose();
      for (const material of [drawn.material ?? []].flat()) material.dispose();
    });
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** Return the description of an overlay: `extras: {ligament: {layer, of}}`. */
export function overlayMark(object: Object3D): OverlayMark | null {
  const mark = object.userData.ligament as OverlayMark | undefined;
  return typeof mark?.layer === "string" ? mark : null;
}

function isDrawn(object: Object3D): boolean {
  return object instanceof Mesh || object instanceof Line || object instanceof Points;
}

function isTransparent(mesh: Mesh): boolean {
  return [mesh.material].flat().some((material) => material.transparent);
}

/** Whether KHR_node_visibility hides a node. */
function isHidden(object: Object3D): boolean {
  return object.userData.gltfExtensions?.KHR_node_visibility?.visible === false;
}

interface FileJson {
  scenes?: unknown[];
  scene?: number;
  nodes?: { children?: number[] }[];
  extensionsRequired?: string[];
}

/** Make the loader build the scene that was played, or all roots if the file has none. */
function keepOneScene(json: FileJson, scene: number): void {
  const nodes = json.nodes ?? [];
  const children = new Set(nodes.flatMap((node) => node.children ?? []));
  const roots = nodes.map((_, i) => i).filter((i) => !children.has(i));
  json.scenes = [json.scenes?.[scene] ?? { nodes: roots }];
  json.scene = 0;
}

function makeLoader(decoders: Decoders, renderer: WebGLRenderer): { loader: GLTFLoader; dispose: () => void } {
  const manager = new LoadingManager();
  manager.setURLModifier((url) => decoders.get(url.split("/").pop() ?? "") ?? url);
  const loader = new GLTFLoader(manager).setMeshoptDecoder(MeshoptDecoder);
  const used: { dispose(): unknown }[] = [];
  if (decoders.has("draco_decoder.wasm")) {
    const draco = new DRACOLoader(manager).setDecoderPath("/").setWorkerLimit(2);
    loader.setDRACOLoader(draco);
    used.push(draco);
  }
  if (decoders.has("basis_transcoder.wasm")) {
    const basis = new KTX2Loader(manager).setTranscoderPath("/").setWorkerLimit(2).detectSupport(renderer);
    loader.setKTX2Loader(basis);
    used.push(basis);
  }
  return { loader, dispose: () => used.forEach((each) => each.dispose()) };
}
