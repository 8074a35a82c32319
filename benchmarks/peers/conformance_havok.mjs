// Plays a case of the conformance suite in Havok at its default settings, one step per frame.
// Usage: node conformance_havok.mjs FOLDER INPUT OUTPUT SECONDS RATE, where FOLDER has node_modules.
// A thin adapter, as loaders write it: each member of KHR_physics_rigid_bodies goes to the member of Havok that is
// nearest to it. What Havok has no member for (planes, tapered shapes, 2D limits, cones) is left to what is nearest.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, input, output, seconds, rate] = process.argv.slice(2);
const library = join(resolve(folder), 'node_modules/@babylonjs/havok/lib/esm');
const { default: load } = await import(pathToFileURL(join(library, 'HavokPhysics_es.js')));
const hp = await load({ wasmBinary: readFileSync(join(library, 'HavokPhysics.wasm')) });
const document = JSON.parse(readFileSync(input, 'utf8'));

const KHR = 'KHR_physics_rigid_bodies';
const ONE = [0, 0, 0, 1];
const WIDE = 2000; // [m]: Havok has no plane, so it is a box of this size
const UNBOUNDED = 1e9; // [N]: without a bound Havok's motors have no force
const nodes = document.nodes;
const physics = nodes.map((node) => node.extensions?.[KHR] ?? {});
const root = document.extensions?.[KHR] ?? {};
const shapes = (document.extensions?.KHR_implicit_shapes ?? document.extensions?.KHR_collision_shapes ?? {}).shapes ?? [];
const buffers = (document.buffers ?? []).map(({ uri }) => Buffer.from(uri.split(',')[1], 'base64'));
const parents = nodes.map(() => -1);
nodes.forEach((node, i) => (node.children ?? []).forEach((child) => (parents[child] = i)));

function checked([result, value]) {
  if (result !== hp.Result.RESULT_OK) throw new Error(`Havok answers ${Object.values(result)}`);
  return value;
}

const product = ([a, b, c, d], [x, y, z, w]) => [
  d * x + a * w + b * z - c * y,
  d * y + b * w + c * x - a * z,
  d * z + c * w + a * y - b * x,
  d * w - a * x - b * y - c * z,
];
const inverse = ([x, y, z, w]) => [-x, -y, -z, w];
const rotate = (q, v) => product(product(q, [...v, 0]), inverse(q)).slice(0, 3);
const add = (a, b) => a.map((part, i) => part + b[i]);
const minus = (a, b) => a.map((part, i) => part - b[i]);

// World place, rotation and scale of a node at rest.
function pose(index) {
  const { translation = [0, 0, 0], rotation = ONE, scale = [1, 1, 1] } = nodes[index];
  if (parents[index] < 0) return { place: translation, turn: rotation, scale };
  const above = pose(parents[index]);
  return {
    place: add(above.place, rotate(above.turn, translation.map((part, i) => part * above.scale[i]))),
    turn: product(above.turn, rotation),
    scale: scale.map((part, i) => part * above.scale[i]),
  };
}

function seenFrom(base, at) {
  return { place: rotate(inverse(base.turn), minus(at.place, base.place)), turn: product(inverse(base.turn), at.turn) };
}

function ownerOf(index) {
  while (index >= 0 && !physics[index].motion) index = parents[index];
  return index;
}

// --- shapes ---

function accessor(index, Kind, width) {
  const { bufferView, byteOffset = 0, count } = document.accessors[index];
  const view = document.bufferViews[bufferView];
  const bytes = buffers[view.buffer].subarray((view.byteOffset ?? 0) + byteOffset);
  return new Kind(Uint8Array.from(bytes.subarray(0, count * width * Kind.BYTES_PER_ELEMENT)).buffer);
}

function inHeap(array) {
  const start = hp._malloc(array.byteLength);
  hp.HEAPU8.set(new Uint8Array(array.buffer), start);
  return start;
}

function meshShape(index, scale, isHull) {
  const [{ attributes, indices }] = document.meshes[index].primitives;
  const points = accessor(attributes.POSITION, Float32Array, 3).map((part, i) => part * scale[i % 3]);
  const start = inHeap(points);
  if (isHull) return checked(hp.HP_Shape_CreateConvexHull(start, points.length / 3));
  const triangles = Int32Array.from(accessor(indices, Uint16Array, 1));
  return checked(hp.HP_Shape_CreateMesh(start, points.length / 3, inHeap(triangles), triangles.length / 3));
}

function shapeOf({ geometry, shape: index }, scale) {
  if (geometry?.mesh !== undefined) return meshShape(geometry.mesh, scale, geometry.convexHull);
  const shape = shapes[geometry?.shape ?? index];
  const members = shape[shape.type] ?? {};
  const size = scale.map(Math.abs);
  if (shape.type === 'convex' || shape.type === 'trimesh') return meshShape(members.mesh, scale, shape.type === 'convex');
  if (shape.type === 'sphere') return checked(hp.HP_Shape_CreateSphere([0, 0, 0], (members.radius ?? 0.5) * Math.max(...size)));
  if (shape.type === 'box') return checked(hp.HP_Shape_CreateBox([0, 0, 0], ONE, (members.size ?? [1, 1, 1]).map((part, i) => part * size[i])));
  if (shape.type === 'plane') {
    const { sizeX = WIDE, sizeZ = WIDE } = members;
    return checked(hp.HP_Shape_CreateBox([0, -0.5, 0], ONE, [sizeX, 1, sizeZ]));
  }
  const { height = 0.5, radiusBottom = 0.25, radiusTop = 0.25 } = members;
  const ends = [[0, (height / 2) * size[1], 0], [0, (-height / 2) * size[1], 0]];
  const create = shape.type === 'capsule' ? hp.HP_Shape_CreateCapsule : hp.HP_Shape_CreateCylinder;
  return checked(create.call(hp, ...ends, Math.max(radiusBottom, radiusTop) * size[0]));
}

const COMBINE = { average: 'ARITHMETIC_MEAN', minimum: 'MINIMUM', maximum: 'MAXIMUM', multiply: 'MULTIPLY' };
const combine = (mode) => hp.MaterialCombine[COMBINE[mode] ?? 'MAXIMUM'];
const systems = [...new Set((root.collisionFilters ?? []).flatMap((filter) => Object.values(filter).flat()))];
const mask = (names) => names.reduce((bits, name) => bits | (1 << systems.indexOf(name)), 0);

function solid(collider, scale) {
  const shape = shapeOf(collider, scale);
  const material = root.physicsMaterials?.[collider.physicsMaterial] ?? {};
  const { staticFriction = 0.6, dynamicFriction = 0.6, restitution = 0 } = material;
  const modes = [combine(material.frictionCombine), combine(material.restitutionCombine)];
  hp.HP_Shape_SetMaterial(shape, [staticFriction, dynamicFriction, restitution, ...modes]);
  hp.HP_Shape_SetDensity(shape, 1000);
  const filter = root.collisionFilters?.[collider.collisionFilter];
  if (filter) {
    const { collisionSystems, collideWithSystems, notCollideWithSystems } = filter;
    const accepted = collideWithSystems ? mask(collideWithSystems) : notCollideWithSystems ? ~mask(notCollideWithSystems) : ~0;
    hp.HP_Shape_SetFilterInfo(shape, [collisionSystems ? mask(collisionSystems) : ~0, accepted]);
  }
  return shape;
}

// --- bodies ---

const world = checked(hp.HP_World_Create());
hp.HP_World_SetGravity(world, [0, -9.81, 0]);
const bodies = new Map();

function addBody(at, parts, kind) {
  const body = checked(hp.HP_Body_Create());
  if (parts.length) {
    const container = checked(hp.HP_Shape_CreateContainer());
    for (const { shape, place, turn } of parts) hp.HP_Shape_AddChild(container, shape, [place, turn, [1, 1, 1]]);
    hp.HP_Body_SetShape(body, container);
  }
  hp.HP_Body_SetMotionType(body, kind);
  hp.HP_Body_SetLinearDamping(body, 0);
  hp.HP_Body_SetAngularDamping(body, 0);
  hp.HP_Body_SetQTransform(body, [at.place, at.turn]);
  return body;
}

function addMoving(index) {
  const at = pose(index);
  const { motion } = physics[index];
  const mine = nodes.map((_, i) => i).filter((i) => physics[i].collider && ownerOf(i) === index);
  const parts = mine.map((i) => ({ shape: solid(physics[i].collider, pose(i).scale), ...seenFrom(at, pose(i)) }));
  const kind = motion.isKinematic ? hp.MotionType.KINEMATIC : hp.MotionType.DYNAMIC;
  const body = addBody(at, parts, kind);
  // Havok's moments of inertia are those of 1 kg.
  const found = parts.length ? checked(hp.HP_Shape_BuildMassProperties(checked(hp.HP_Body_GetShape(body)))) : [[0, 0, 0], 1, [1, 1, 1], ONE];
  const mass = motion.mass ?? found[1];
  const inertia = motion.inertiaDiagonal?.map((part) => part / (mass || 1)) ?? found[2];
  const centre = motion.centerOfMass?.map((part, i) => part * at.scale[i]) ?? found[0];
  hp.HP_Body_SetMassProperties(body, [centre, mass, inertia, motion.inertiaOrientation ?? found[3]]);
  hp.HP_Body_SetGravityFactor(body, motion.gravityFactor ?? 1);
  hp.HP_Body_SetLinearVelocity(body, rotate(at.turn, motion.linearVelocity ?? [0, 0, 0]));
  hp.HP_Body_SetAngularVelocity(body, rotate(at.turn, motion.angularVelocity ?? [0, 0, 0]));
  hp.HP_World_AddBody(world, body, false);
  bodies.set(index, body);
}

function addStatic(index) {
  const at = pose(index);
  if (at.scale.every((part) => part === 0)) return;
  const parts = [{ shape: solid(physics[index].collider, at.scale), place: [0, 0, 0], turn: ONE }];
  const body = addBody(at, parts, hp.MotionType.STATIC);
  hp.HP_World_AddBody(world, body, false);
  bodies.set(index, body);
}

// --- joints ---

const { LINEAR_X, LINEAR_Y, LINEAR_Z, ANGULAR_X, ANGULAR_Y, ANGULAR_Z, LINEAR_DISTANCE } = hp.ConstraintAxis;
const AXES = { linear: [LINEAR_X, LINEAR_Y, LINEAR_Z], angular: [ANGULAR_X, ANGULAR_Y, ANGULAR_Z] };
let ground;

function sideOf(index) {
  const owner = ownerOf(index);
  if (owner >= 0) return { body: bodies.get(owner), ...seenFrom(pose(owner), pose(index)) };
  if (!ground) {
    ground = addBody({ place: [0, 0, 0], turn: ONE }, [], hp.MotionType.STATIC);
    hp.HP_World_AddBody(world, ground, false);
  }
  return { body: ground, ...pose(index) };
}

function limitAxis(joint, axis, { min, max, stiffness, damping }) {
  const { LIMITED, LOCKED } = hp.ConstraintAxisLimitMode;
  const isLocked = min === 0 && max === 0 && stiffness === undefined;
  hp.HP_Constraint_SetAxisMode(joint, axis, isLocked ? LOCKED : LIMITED);
  if (isLocked) return;
  if (min !== undefined) hp.HP_Constraint_SetAxisMinLimit(joint, axis, min);
  if (max !== undefined) hp.HP_Constraint_SetAxisMaxLimit(joint, axis, max);
  if (stiffness !== undefined) hp.HP_Constraint_SetAxisStiffness(joint, axis, stiffness);
  if (damping !== undefined) hp.HP_Constraint_SetAxisDamping(joint, axis, damping);
}

function addDrive(joint, drive) {
  const axis = AXES[drive.type][drive.axis];
  const { SPRING_FORCE, SPRING_ACCELERATION } = hp.ConstraintMotorType;
  hp.HP_Constraint_SetAxisMotorType(joint, axis, drive.mode === 'force' ? SPRING_FORCE : SPRING_ACCELERATION);
  hp.HP_Constraint_SetAxisMotorMaxForce(joint, axis, drive.maxForce ?? UNBOUNDED);
  hp.HP_Constraint_SetAxisMotorPositionTarget(joint, axis, drive.positionTarget ?? 0);
  hp.HP_Constraint_SetAxisMotorVelocityTarget(joint, axis, drive.velocityTarget ?? 0);
  hp.HP_Constraint_SetAxisMotorStiffness(joint, axis, drive.stiffness ?? 0);
  hp.HP_Constraint_SetAxisMotorDamping(joint, axis, drive.damping ?? 0);
}

function addJoint(index) {
  const { connectedNode, joint: number, enableCollision = false } = physics[index].joint;
  const joint = checked(hp.HP_Constraint_Create());
  const parent = sideOf(index);
  const child = sideOf(connectedNode);
  const axes = (turn) => [rotate(turn, [1, 0, 0]), rotate(turn, [0, 1, 0])];
  hp.HP_Constraint_SetParentBody(joint, parent.body);
  hp.HP_Constraint_SetChildBody(joint, child.body);
  hp.HP_Constraint_SetAnchorInParent(joint, parent.place, ...axes(parent.turn));
  hp.HP_Constraint_SetAnchorInChild(joint, child.place, ...axes(child.turn));
  const { limits = [], drives = [] } = root.physicsJoints[number];
  for (const given of limits) {
    const { linearAxes = [], angularAxes = [] } = given;
    const isMagnitude = linearAxes.length + angularAxes.length > 1;  // which has no sign
    const limit = isMagnitude ? { min: 0, ...given } : given;
    const isDistance = linearAxes.length === 3 && !(limit.min === 0 && limit.max === 0);
    if (isDistance) limitAxis(joint, LINEAR_DISTANCE, limit);
    else for (const axis of linearAxes) limitAxis(joint, AXES.linear[axis], limit);
    for (const axis of angularAxes) limitAxis(joint, AXES.angular[axis], limit);
  }
  for (const drive of drives) addDrive(joint, drive);
  hp.HP_Constraint_SetCollisionsEnabled(joint, enableCollision ? 1 : 0);
  hp.HP_Constraint_SetEnabled(joint, 1);
}

nodes.forEach((_, i) => {
  if (physics[i].motion) addMoving(i);
  else if (physics[i].collider && ownerOf(i) < 0) addStatic(i);
});
nodes.forEach((_, i) => {
  if (physics[i].joint) addJoint(i);
});

// --- the recording ---

const moving = [...bodies.keys()].filter((i) => physics[i].motion);
const recording = { times: [], nodes: moving, translation: [], rotation: [], events: [] };
for (let frame = 0; frame <= Math.round(seconds * rate); frame++) {
  if (frame) hp.HP_World_Step(world, 1 / rate);
  const poses = moving.map((i) => checked(hp.HP_Body_GetQTransform(bodies.get(i))));
  recording.times.push(frame / rate);
  recording.translation.push(poses.map(([place]) => place));
  recording.rotation.push(poses.map(([, turn]) => turn));
}
writeFileSync(output, JSON.stringify(recording));
