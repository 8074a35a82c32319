// Prints, as JSON, the local transforms that three.js gives the nodes of a GLB at some times:
// play.mjs FILE ANIMATION TIME... ; nodes are named by their index in the file.
import { readFile } from "node:fs/promises";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

globalThis.self = globalThis;
const [file, animation, ...times] = process.argv.slice(2);
const bytes = await readFile(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new GLTFLoader().parseAsync(buffer, "");
const nodes = new Map();
gltf.scene.traverse((object) => {
  const found = gltf.parser.associations.get(object);
  if (found && found.nodes !== undefined) nodes.set(found.nodes, object);
});
const mixer = new THREE.AnimationMixer(gltf.scene);
mixer.clipAction(gltf.animations[Number(animation)]).setLoop(THREE.LoopOnce).play();
mixer.clipAction(gltf.animations[Number(animation)]).clampWhenFinished = true;
const frames = times.map((time) => {
  mixer.setTime(Number(time));
  const frame = {};
  for (const [index, object] of nodes) {
    frame[index] = {
      translation: object.position.toArray(),
      rotation: object.quaternion.toArray(),
      scale: object.scale.toArray(),
    };
  }
  return frame;
});
console.log(JSON.stringify(frames));
