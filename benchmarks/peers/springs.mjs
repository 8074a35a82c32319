// Swings the spring bones of avatars with three-vrm and prints the time [s] of its manager alone: poses
// are set outside of the clock.
// Usage: node springs.mjs '{"avatar", "poses", "frames", "avatars", "rate", "results" or null}', in the
// folder that has node_modules. `avatar` is a .gltf file without buffers whose node 1 moves; `poses` are
// float64 x, y, z, qx, qy, qz, qw of that node (frames), which every avatar plays from another frame on;
// `results` are float64 xyzw of (frames, nodes) of the first avatar.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(join(process.cwd(), 'node_modules', path)));
globalThis.self ??= globalThis;
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { VRMSpringBoneLoaderPlugin } = await load('@pixiv/three-vrm/lib/three-vrm.module.js');

const request = JSON.parse(process.argv[2]);
const text = readFileSync(request.avatar, 'utf8');
const bytes = readFileSync(request.poses);
const poses = new Float64Array(
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
);

async function avatar(shift) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMSpringBoneLoaderPlugin(parser));
  const gltf = await loader.parseAsync(text, '');
  const nodes = [];
  for (let i = 0; i < gltf.parser.json.nodes.length; i++) {
    nodes.push(await gltf.parser.getDependency('node', i));
  }
  const manager = gltf.userData.vrmSpringBoneManager;
  pose(nodes, shift);
  gltf.scene.updateMatrixWorld(true);
  manager.reset();
  return { nodes, manager, scene: gltf.scene };
}

function pose(nodes, frame) {
  const at = 7 * (frame % request.frames);
  nodes[1].position.fromArray(poses, at);
  nodes[1].quaternion.fromArray(poses, at + 3);
}

function play(avatars, frames, results) {
  let spent = 0;
  let processor = 0;
  for (let frame = 1; frame < frames; frame++) {
    avatars.forEach(({ nodes }, i) => pose(nodes, frame + 7 * i));
    const start = performance.now();
    const before = process.cpuUsage();
    for (const { manager } of avatars) manager.update(1 / request.rate);
    const used = process.cpuUsage(before);
    spent += performance.now() - start;
    processor += used.user + used.system;
    if (results) avatars[0].nodes.forEach((n, i) => n.quaternion.toArray(results, 4 * (frame * avatars[0].nodes.length + i)));
  }
  return { seconds: spent / 1e3, processor: processor / 1e6 };
}

const avatars = [];
for (let i = 0; i < request.avatars; i++) avatars.push(await avatar(7 * i));
const count = avatars[0].nodes.length;
if (request.results) {
  const results = new Float64Array(4 * count * request.frames);
  avatars[0].nodes.forEach((n, i) => n.quaternion.toArray(results, 4 * i));
  play([avatars[0]], request.frames, results);
  writeFileSync(request.results, results);
}
play(avatars, Math.ceil(2000 / request.avatars));
const spent = play(avatars, request.frames);
console.log(JSON.stringify({ ...spent, joints: avatars[0].manager.joints.size }));
