import assert from "node:assert/strict";
import { test } from "node:test";
import { AnimationClip, Group, Mesh, NumberKeyframeTrack, Object3D, QuaternionKeyframeTrack, VectorKeyframeTrack } from "three";
import { Motion, WEIGHTS } from "../src/motion.ts";

const every = (): boolean => true;

function scene(): { root: Group; box: Object3D } {
  const root = new Group();
  const box = new Object3D();
  box.name = "box";
  root.add(box);
  return { root, box };
}

test("objects follow their keys, forwards and backwards, and hold at the ends", () => {
  const { root, box } = scene();
  const motion = new Motion(root);
  const half = Math.SQRT1_2;
  motion.add(
    new AnimationClip("", 2, [
      new VectorKeyframeTrack("box.position", [1, 2], [0, 0, 0, 2, 4, 6]),
      new QuaternionKeyframeTrack("box.quaternion", [0, 2], [0, 0, 0, 1, 0, half, 0, half]),
    ]),
    every,
  );
  for (const [time, y] of [[1.5, 2], [9, 4], [0, 0], [1.5, 2]]) {
    motion.pose(time);
    assert.equal(box.position.y, y);
  }
  motion.pose(1);
  assert.ok(Math.abs(box.quaternion.y - Math.sin(Math.PI / 8)) < 1e-6);
});

test("a clip that loops starts again, and of some clips only the weights are played", () => {
  const root = new Group();
  const mesh = new Mesh();
  mesh.name = "face";
  mesh.morphTargetInfluences = [0, 0];
  root.add(mesh);
  const motion = new Motion(root);
  const tracks = [
    new NumberKeyframeTrack("face.morphTargetInfluences", [0, 1], [0, 0, 1, 0.5]),
    new VectorKeyframeTrack("face.position", [0, 1], [0, 0, 0, 1, 1, 1]),
  ];
  motion.add(new AnimationClip("", 1, tracks), (property) => property === WEIGHTS, true);
  motion.pose(3.5);
  assert.deepEqual(mesh.morphTargetInfluences, [0.5, 0.25]);
  assert.equal(mesh.position.x, 0);
});

test("tracks of missing objects are ignored", () => {
  const motion = new Motion(scene().root);
  motion.add(new AnimationClip("", 1, [new VectorKeyframeTrack("gone.position", [0], [1, 1, 1])]), every);
  motion.pose(0);
});
