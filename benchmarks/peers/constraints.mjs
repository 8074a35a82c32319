// Solves the node constraints of avatars with three-vrm and prints the time [s] of its manager alone:
// poses are set and results are read outside of the clock.
// Usage: node constraints.mjs '{"avatar", "poses", "nodes", "frames", "avatars", "results" or null}',
// in the folder that has node_modules. `avatar` is a .gltf file without buffers; `poses` and `results`
// are float64 xyzw of (frames, nodes), which every avatar plays from another frame on.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(join(process.cwd(), 'node_modules', path)));
globalThis.self ??= globalThis;
const { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { VRMNodeConstraintLoaderPlugin } = await load('@pixiv/three-vrm/lib/three-vrm.module.js');

const request = JSON.parse(process.argv[2]);
const text = readFileSync(request.avatar, 'utf8');
const bytes = readFileSync(request.poses);
const poses = new Float64Array(
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
);
const stride = 4 * request.nodes;

async function avatar() {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMNodeConstraintLoaderPlugin(parser));
  const gltf = await loader.parseAsync(text, '');
  const nodes = [];
  for (let i = 0; i < request.nodes; i++) nodes.push(await gltf.parser.getDependency('node', i));
  gltf.scene.updateMatrixWorld(true);
  const manager = gltf.userData.vrmNodeConstraintManager;
  manager.setInitState();
  return { nodes, manager };
}

function pose(nodes, frame) {
  const at = stride * (frame % request.frames);
  for (let i = 0; i < nodes.length; i++) nodes[i].quaternion.fromArray(poses, at + 4 * i);
}

function play(avatars, frames) {
  let spent = 0;
  for (let frame = 0; frame < frames; frame++) {
    avatars.forEach(({ nodes }, i) => pose(nodes, frame + 7 * i));
    const start = performance.now();
    for (const { manager } of avatars) manager.update();
    spent += performance.now() - start;
  }
  return spent / 1000;
}

const avatars = [];
for (let i = 0; i < request.avatars; i++) avatars.push(await avatar());
if (request.results) {
  const results = new Float64Array(poses.length);
  const { nodes, manager } = avatars[0];
  for (let frame = 0; frame < request.frames; frame++) {
    pose(nodes, frame);
    manager.update();
    nodes.forEach((node, i) => node.quaternion.toArray(results, stride * frame + 4 * i));
  }
  writeFileSync(request.results, results);
}
play(avatars, Math.ceil(2000 / request.avatars));
const seconds = play(avatars, request.frames);
console.log(JSON.stringify({ seconds, constraints: avatars[0].manager.constraints.size }));
