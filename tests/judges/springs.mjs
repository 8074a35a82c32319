// Prints, as JSON, the local rotations that three-vrm gives the nodes of a GLB or VRM while it plays an
// animation and updates everything of its own, springs included: springs.mjs FILE ANIMATION RATE FRAMES
import { readFile } from "node:fs/promises";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";

globalThis.self = globalThis;
globalThis.ProgressEvent = globalThis.ProgressEvent ?? class {};
const log = console.warn;
console.warn = () => {};

const [file, animation, rate, frames] = process.argv.slice(2);
const bytes = await readFile(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser, { autoUpdateHumanBones: false }));
const gltf = await loader.parseAsync(buffer, "");
console.warn = log;
const nodes = [];
for (let i = 0; i < gltf.parser.json.nodes.length; i++) {
  nodes.push(await gltf.parser.getDependency("node", i));
}
const { vrm, vrmSpringBoneManager } = gltf.userData;
const springs = vrm?.springBoneManager ?? vrmSpringBoneManager;
const mixer = new THREE.AnimationMixer(gltf.scene);
const action = mixer.clipAction(gltf.animations[Number(animation)]).setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
const result = [];
for (let frame = 0; frame < Number(frames); frame++) {
  mixer.setTime(frame / Number(rate));
  gltf.scene.updateMatrixWorld(true);
  if (frame === 0) springs?.reset?.();
  else if (vrm) vrm.update(1 / Number(rate));
  else springs?.update(1 / Number(rate));
  result.push(nodes.map((node) => node.quaternion.toArray()));
}
console.log(JSON.stringify(result));
