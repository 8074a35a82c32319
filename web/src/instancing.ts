// Instancing: copies of one mesh drawn in one call, at the poses of their nodes.
import { InstancedMesh, Mesh, type Material, type Object3D } from "three";
import type { Model } from "./model.ts";

/** Fewest copies for which instancing pays. */
export const LEAST = 8;

export interface Batch {
  mesh: InstancedMesh;
  copies: Mesh[];
}

/** Draw meshes of one geometry, material and layer together; the copies remain as nodes, not drawn. */
export function makeBatches(model: Model): Batch[] {
  const groups = new Map<string, Mesh[]>();
  model.root.traverse((object) => {
    if (!isPlain(object) || isWithinHidden(object)) return;
    const key = `${object.geometry.uuid} ${(object.material as Material).uuid} ${model.layerOf(object)}`;
    const group = groups.get(key);
    if (group) group.push(object);
    else groups.set(key, [object]);
  });
  return [...groups.values()].filter((group) => group.length >= LEAST).map((copies) => batch(model, copies));
}

function batch(model: Model, copies: Mesh[]): Batch {
  const first = copies[0];
  const mesh = new InstancedMesh(first.geometry, first.material, copies.length);
  mesh.frustumCulled = false; // its bounds change with every frame
  mesh.matrixAutoUpdate = false;
  mesh.castShadow = first.castShadow;
  mesh.receiveShadow = first.receiveShadow;
  mesh.layers.mask = first.layers.mask;
  model.root.add(mesh); // whose frame is the world's
  const layer = model.layerOf(first);
  if (layer !== null) model.layers.get(layer)?.push(mesh);
  for (const copy of copies) copy.layers.disableAll(); // neither drawn nor picked, but posed
  return { mesh, copies };
}

/** Move the instances to their nodes; world matrices must be up to date. */
export function follow({ mesh, copies }: Batch): void {
  for (let i = 0; i < copies.length; i++) mesh.setMatrixAt(i, copies[i].matrixWorld);
  mesh.instanceMatrix.needsUpdate = true;
  mesh.boundingSphere = null;
  mesh.boundingBox = null;
}

function isPlain(object: Object3D): object is Mesh {
  return (
    object.type === "Mesh" &&
    object instanceof Mesh &&
    !object.morphTargetInfluences?.length &&
    !Array.isArray(object.material) &&
    object.matrixWorld.determinant() >= 0 // a mirrored copy has inverted faces
  );
}

function isWithinHidden(object: Object3D): boolean {
  for (let at: Object3D | null = object; at; at = at.parent) if (!at.visible) return true;
  return false;
}
