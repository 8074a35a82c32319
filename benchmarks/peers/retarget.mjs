// Retargets a VRM animation to an avatar with three-vrm, in memory, and prints the times [s]: `clip` for
// making the clip, `play` for all frames. A frame is set by an AnimationMixer and carried from the
// normalised rig to the nodes by the humanoid; nothing else of the avatar is updated.
// Usage: node retarget.mjs '{"avatar", "motion", "times", "bones": [...], "results" or null}', in the
// folder that has node_modules. `times` are float64 [s]; `results` are float64 xyzw of (frames, bones).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(join(process.cwd(), 'node_modules', path)));
globalThis.self ??= globalThis;
const { AnimationMixer, LoopOnce } = await load('three/build/three.module.js');
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { VRMLoaderPlugin } = await load('@pixiv/three-vrm/lib/three-vrm.module.js');
const { VRMAnimationLoaderPlugin, createVRMAnimationClip } = await load(
  '@pixiv/three-vrm-animation/lib/three-vrm-animation.module.js',
);

const request = JSON.parse(process.argv[2]);

// A buffer that Node reads a file into may be part of a larger one.
function bytesOf(path) {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}
const times = new Float64Array(bytesOf(request.times));

async function parse(path) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  return (await loader.parseAsync(bytesOf(path), '')).userData;
}

const { vrm } = await parse(request.avatar);
const { vrmAnimations } = await parse(request.motion);
const nodes = request.bones.map((bone) => vrm.humanoid.getRawBoneNode(bone));

function run(count, results) {
  const start = performance.now();
  const clip = createVRMAnimationClip(vrmAnimations[0], vrm);
  const made = performance.now();
  const mixer = new AnimationMixer(vrm.scene);
  const action = mixer.clipAction(clip).setLoop(LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  for (let frame = 0; frame < count; frame++) {
    mixer.setTime(times[frame]);
    vrm.humanoid.update();
    if (results) nodes.forEach((node, i) => node.quaternion.toArray(results, 4 * (frame * nodes.length + i)));
  }
  const done = performance.now();
  mixer.uncacheRoot(vrm.scene);
  return { clip: (made - start) / 1000, play: (done - made) / 1000 };
}

if (request.results) {
  const results = new Float64Array(4 * times.length * nodes.length);
  run(times.length, results);
  writeFileSync(request.results, results);
}
run(Math.min(times.length, 2000), null);
console.log(JSON.stringify(run(times.length, null)));
