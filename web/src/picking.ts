// Picking: the node under the pointer, and the box around the selection.
import {
  Box3,
  BoxGeometry,
  EdgesGeometry,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  Object3D,
  Raycaster,
  Vector2,
  Vector3,
  type Camera,
} from "three";
import type { Batch } from "./instancing.ts";
import type { Model } from "./model.ts";

/** A node of one of the takes. */
export interface Picked {
  take: number;
  node: number;
}

/** Return the node under a point of the picture, from -1 to 1 on both axes. */
export function pick(
  point: Vector2,
  camera: Camera,
  models: readonly Model[],
  batches: readonly Batch[],
  reach: number,
): Picked | null {
  const ray = new Raycaster();
  ray.setFromCamera(point, camera);
  ray.layers.mask = camera.layers.mask;
  ray.params.Line.threshold = reach;
  ray.params.Points.threshold = reach;
  const copies = new Map(batches.map((batch) => [batch.mesh as Object3D, batch.copies]));
  const hits = ray.intersectObjects(models.map((model) => model.root));
  for (const hit of hits) {
    if (!isShown(hit.object)) continue;
    const object = copies.get(hit.object)?.[hit.instanceId ?? 0] ?? hit.object;
    const take = models.findIndex((model) => isWithin(object, model.root));
    const node = models[take]?.nodeOf(object);
    if (node !== null && node !== undefined) return { take, node };
  }
  return null;
}

function isShown(object: Object3D): boolean {
  for (let at: Object3D | null = object; at; at = at.parent) if (!at.visible) return false;
  return true;
}

function isWithin(object: Object3D, root: Object3D): boolean {
  for (let at: Object3D | null = object; at; at = at.parent) if (at === root) return true;
  return false;
}

/** A wireframe box that moves with the selection. */
export class Marker {
  readonly lines = new LineSegments(
    new EdgesGeometry(new BoxGeometry()),
    new LineBasicMaterial({ color: "#ff8a00", depthTest: false, transparent: true }),
  );
  #anchor: Object3D | undefined;
  #within = new Matrix4();

  constructor() {
    this.lines.renderOrder = 10;
    this.lines.visible = false;
    this.lines.matrixAutoUpdate = false;
  }

  /** Mark the meshes of a node, if it has any. */
  mark(model: Model | null, node: number): void {
    this.#anchor = model?.nodes.get(node);
    const box = model && this.#anchor ? boxIn(this.#anchor, model.meshesOf(node)) : new Box3();
    this.lines.visible = !box.isEmpty();
    if (box.isEmpty()) return;
    const size = box.getSize(new Vector3()).addScalar(1e-6);
    this.#within.makeTranslation(box.getCenter(new Vector3())).scale(size);
    this.follow();
  }

  follow(): void {
    if (!this.#anchor || !this.lines.visible) return;
    this.lines.matrix.multiplyMatrices(this.#anchor.matrixWorld, this.#within);
    this.lines.matrixWorldNeedsUpdate = true;
  }
}

/** Return the box of meshes in the world. */
export function boxOf(meshes: Mesh[], after: Matrix4 = new Matrix4()): Box3 {
  const box = new Box3();
  for (const mesh of meshes) {
    mesh.updateWorldMatrix(true, false);
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    const own = mesh.geometry.boundingBox?.clone();
    if (own) box.union(own.applyMatrix4(new Matrix4().multiplyMatrices(after, mesh.matrixWorld)));
  }
  return box;
}

function boxIn(anchor: Object3D, meshes: Mesh[]): Box3 {
  anchor.updateWorldMatrix(true, true);
  return boxOf(meshes, anchor.matrixWorld.clone().invert());
}
