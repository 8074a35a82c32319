// Plays a world in Havok at its default settings, in the folder that has node_modules.
// Usage and answer: as in engine_loop.py; the request may have `substeps` besides. A cone-twist joint has limits about its three axes, those of the
// cone so tight that they lie within it: Havok has none for a cone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const STEP = 1 / 60;
const GRAVITY = [0, -9.81, 0];
const FRICTION = 0.6;
const DENSITY = 1000;
const UPRIGHT = [0, 0, 0, 1];

const library = join(process.cwd(), 'node_modules/@babylonjs/havok/lib/esm');
const { default: load } = await import(pathToFileURL(join(library, 'HavokPhysics_es.js')));
const hp = await load({ wasmBinary: readFileSync(join(library, 'HavokPhysics.wasm')) });
const request = JSON.parse(process.argv[2]);
const substeps = request.substeps ?? 1;
const content = JSON.parse(readFileSync(request.world, 'utf8'));

function checked([result, value]) {
  if (result !== hp.Result.RESULT_OK) throw new Error(`Havok answers ${Object.values(result)}`);
  return value;
}

function shapeOf(part) {
  const [x, y, z] = part.position;
  if (part.kind === 'Box') return checked(hp.HP_Shape_CreateBox(part.position, UPRIGHT, part.size));
  if (part.kind === 'Sphere') return checked(hp.HP_Shape_CreateSphere(part.position, part.radius));
  const half = part.height / 2;
  return checked(hp.HP_Shape_CreateCapsule([x, y - half, z], [x, y + half, z], part.radius_top));
}

function solid(part) {
  const shape = shapeOf(part);
  const rule = hp.MaterialCombine.MAXIMUM;
  hp.HP_Shape_SetMaterial(shape, [FRICTION, FRICTION, 0, rule, rule]);
  hp.HP_Shape_SetDensity(shape, DENSITY);
  return shape;
}

function shapeOfAll(parts) {
  if (parts.length === 1) return solid(parts[0]);
  const container = checked(hp.HP_Shape_CreateContainer());
  for (const part of parts) hp.HP_Shape_AddChild(container, solid(part), [[0, 0, 0], UPRIGHT, [1, 1, 1]]);
  return container;
}

function addBody(world, body) {
  const added = checked(hp.HP_Body_Create());
  if (body.parts.length) hp.HP_Body_SetShape(added, shapeOfAll(body.parts));
  hp.HP_Body_SetMotionType(added, body.is_static ? hp.MotionType.STATIC : hp.MotionType.DYNAMIC);
  if (!body.is_static) {
    const shape = checked(hp.HP_Body_GetShape(added));
    hp.HP_Body_SetMassProperties(added, checked(hp.HP_Shape_BuildMassProperties(shape)));
  }
  hp.HP_Body_SetLinearDamping(added, 0);
  hp.HP_Body_SetAngularDamping(added, 0);
  hp.HP_Body_SetQTransform(added, [body.position, body.rotation]);
  hp.HP_World_AddBody(world, added, false);
  return added;
}

// The images of the X and Y axes under a rotation.
function axes([x, y, z, w]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
  ];
}

// Bounds of each axis of a kind of joint: nothing where it is locked, Infinity where it is free.
function boundsOf(joint) {
  const { LINEAR_Y, ANGULAR_X, ANGULAR_Y, ANGULAR_Z } = hp.ConstraintAxis;
  const free = [-Infinity, Infinity];
  if (joint.kind === 'Ball') return new Map([ANGULAR_X, ANGULAR_Y, ANGULAR_Z].map((axis) => [axis, free]));
  if (joint.kind === 'Hinge') return new Map([[ANGULAR_X, [joint.low, joint.high]]]);
  if (joint.kind === 'Spring') return new Map([[LINEAR_Y, [0, 0]]]);
  const swing = joint.reach / Math.SQRT2;
  return new Map([
    [ANGULAR_X, [-joint.reach, joint.reach]],
    [ANGULAR_Y, [-swing, swing]],
    [ANGULAR_Z, [-swing, swing]],
  ]);
}

function addJoint(joint, a, b) {
  const added = checked(hp.HP_Constraint_Create());
  hp.HP_Constraint_SetParentBody(added, a);
  hp.HP_Constraint_SetChildBody(added, b);
  hp.HP_Constraint_SetAnchorInParent(added, joint.frame_a[0], ...axes(joint.frame_a[1]));
  hp.HP_Constraint_SetAnchorInChild(added, joint.frame_b[0], ...axes(joint.frame_b[1]));
  const { FREE, LIMITED, LOCKED } = hp.ConstraintAxisLimitMode;
  const bounds = boundsOf(joint);
  const { LINEAR_X, LINEAR_Y, LINEAR_Z, ANGULAR_X, ANGULAR_Y, ANGULAR_Z } = hp.ConstraintAxis;
  for (const axis of [LINEAR_X, LINEAR_Y, LINEAR_Z, ANGULAR_X, ANGULAR_Y, ANGULAR_Z]) {
    const [low, high] = bounds.get(axis) ?? [];
    const mode = low === undefined ? LOCKED : low === -Infinity ? FREE : LIMITED;
    hp.HP_Constraint_SetAxisMode(added, axis, mode);
    if (mode !== LIMITED) continue;
    hp.HP_Constraint_SetAxisMinLimit(added, axis, low);
    hp.HP_Constraint_SetAxisMaxLimit(added, axis, high);
    if (joint.kind !== 'Spring') continue;
    hp.HP_Constraint_SetAxisStiffness(added, axis, joint.stiffness);
    hp.HP_Constraint_SetAxisDamping(added, axis, joint.damping);
  }
  hp.HP_Constraint_SetCollisionsEnabled(added, 0);
  hp.HP_Constraint_SetEnabled(added, 1);
}

function build() {
  const world = checked(hp.HP_World_Create());
  hp.HP_World_SetGravity(world, GRAVITY);
  const bodies = content.bodies.map((body) => addBody(world, body));
  const anchor = { position: [0, 0, 0], rotation: UPRIGHT, parts: [], is_static: true };
  const ground = content.joints.length ? addBody(world, anchor) : null;
  for (const joint of content.joints) addJoint(joint, joint.a === null ? ground : bodies[joint.a], bodies[joint.b]);
  const moving = bodies.filter((_, i) => !content.bodies[i].is_static);
  const offsets = moving.map((body) => checked(hp.HP_Body_GetWorldTransformOffset(body)));
  return { world, moving, offsets };
}

// Havok keeps poses as matrices of four columns of four numbers; the fourth number means nothing.
function read({ world, offsets }, matrices, at) {
  const start = checked(hp.HP_World_GetBodyBuffer(world));
  const memory = new Float32Array(hp.HEAPU8.buffer);
  for (const offset of offsets) {
    const first = (start + offset) / 4;
    for (let i = 0; i < 16; i++) matrices[at++] = memory[first + i];
  }
}

function play(built, frames) {
  const size = 16 * built.offsets.length;
  const matrices = new Float32Array(size * (frames + 1));
  read(built, matrices, 0);
  const stamps = [performance.now() / 1000];
  const cpu = [process.cpuUsage()];
  for (let frame = 1; frame <= frames; frame++) {
    if (stamps.at(-1) - stamps[0] > request.limit) break;
    for (let i = 0; i < substeps; i++) hp.HP_World_Step(built.world, STEP / substeps);
    read(built, matrices, size * frame);
    stamps.push(performance.now() / 1000);
    if (frame === request.skip) cpu.push(process.cpuUsage());
  }
  cpu.push(process.cpuUsage());
  return { stamps, cpu, matrices: matrices.subarray(0, size * stamps.length) };
}

// The rotation xyzw of the matrix that starts at an index, from its largest part.
function rotation(m, at) {
  const [xx, xy, xz, , yx, yy, yz, , zx, zy, zz] = m.subarray(at, at + 11);
  const candidates = [
    [1 + xx - yy - zz, xy + yx, xz + zx, yz - zy],
    [xy + yx, 1 - xx + yy - zz, yz + zy, zx - xz],
    [xz + zx, yz + zy, 1 - xx - yy + zz, xy - yx],
    [yz - zy, zx - xz, xy - yx, 1 + xx + yy + zz],
  ];
  const best = candidates.reduce((a, b, i) => (b[i] > a[candidates.indexOf(a)] ? b : a));
  const length = Math.hypot(...best);
  return best.map((part) => part / length);
}

function posesOf(matrices) {
  const poses = new Float32Array((matrices.length / 16) * 7);
  for (let at = 0, to = 0; at < matrices.length; at += 16, to += 7) {
    poses.set(matrices.subarray(at + 12, at + 15), to);
    poses.set(rotation(matrices, at), to + 3);
  }
  return poses;
}

// Seconds of the processor between two looks at its use.
function spent(before, after) {
  return (after.user + after.system - before.user - before.system) / 1e6;
}

// WebAssembly runs slowly until it has been compiled twice over, which takes the time of some hundred steps.
const before = build();
play(before, Math.max(request.warm_up, 100));
hp.HP_World_Release(before.world);
const start = performance.now() / 1000;
const built = build();
const ready = performance.now() / 1000;
const { stamps, cpu, matrices } = play(built, request.frames);
if (request.poses) writeFileSync(request.poses, posesOf(matrices));
const first = request.skip < stamps.length - 1 ? request.skip : 0;
const clocked = {
  seconds: stamps.at(-1) - stamps[first],
  cpu: spent(cpu.at(first ? -2 : 0), cpu.at(-1)),
  frames: stamps.length - 1 - first,
};
console.log(JSON.stringify({ build: ready - start, ...clocked }));
