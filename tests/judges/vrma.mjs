// Prints, as JSON, the local transforms that three-vrm gives the bones of an avatar under a VRM
// animation: vrma.mjs AVATAR.vrm MOTION.vrma TIME...
import { readFile } from "node:fs/promises";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from "@pixiv/three-vrm-animation";

globalThis.self = globalThis;
globalThis.ProgressEvent = globalThis.ProgressEvent ?? class {};

async function load(file, plugin) {
  const bytes = await readFile(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const loader = new GLTFLoader();
  loader.register(plugin);
  return loader.parseAsync(buffer, "");
}

const [avatarFile, motionFile, ...times] = process.argv.slice(2);
const log = console.warn;
console.warn = () => {};
const { vrm } = (await load(avatarFile, (parser) => new VRMLoaderPlugin(parser))).userData;
const motion = await load(motionFile, (parser) => new VRMAnimationLoaderPlugin(parser));
console.warn = log;
const clip = createVRMAnimationClip(motion.userData.vrmAnimations[0], vrm);
const mixer = new THREE.AnimationMixer(vrm.scene);
const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
const frames = times.map((time) => {
  mixer.setTime(Number(time));
  vrm.update(0);
  const frame = {};
  for (const bone of Object.keys(vrm.humanoid.humanBones)) {
    const node = vrm.humanoid.getRawBoneNode(bone);
    if (node) frame[bone] = [...node.quaternion.toArray(), ...node.position.toArray()];
  }
  return frame;
});
console.log(JSON.stringify(frames));
