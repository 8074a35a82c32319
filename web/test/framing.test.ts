import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Vector3 } from "three";
import { boxFrame, fitEye, MARGIN, normalized, type Frame, type Vector } from "../src/framing.ts";

const FIELD = (40 * Math.PI) / 180;
const DIRECTIONS: Vector[] = [[0.55, 0.42, 1], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-0.3, -0.9, 0.2]];
const SIZES: Vector[] = [[1, 1, 1], [10, 0.1, 3], [1e-4, 2e-4, 1e-4], [1e4, 3e3, 0]];

/** Return how far the points of a frame reach in the picture: left, right, down and up, 1 being its edge. */
function reach(frame: Frame, direction: Vector, aspect: number): [number, number, number, number] {
  const camera = new PerspectiveCamera(40, aspect, 1e-6, 1e6);
  camera.position.set(...fitEye(frame, direction, FIELD, aspect));
  camera.lookAt(camera.position.clone().sub(new Vector3(...direction)));
  camera.updateMatrixWorld();
  const seen = frame.points.map((point) => new Vector3(...point).project(camera));
  const [x, y] = [seen.map((each) => each.x), seen.map((each) => each.y)];
  return [-Math.min(...x), Math.max(...x), -Math.min(...y), Math.max(...y)];
}

function near(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-3;
}

test("a box fills the picture at every aspect, from every side, whatever its size", () => {
  for (const aspect of [0.4, 1, 2.5])
    for (const direction of DIRECTIONS)
      for (const halfSize of SIZES) {
        const [left, right, down, up] = reach(boxFrame([1, 2, 3], halfSize), direction, aspect);
        const message = `${[left, right, down, up]} at ${aspect} from ${direction}, ${halfSize}`;
        assert.ok(near(Math.max(left, right, down, up), 1 / MARGIN), message);
        assert.ok(near(left, right) && near(down, up), message); // in the middle
      }
});

test("the points fill the picture, not the box around them", () => {
  const box = boxFrame([0, 0, 0], [1, 1, 1]);
  const cross: Frame = { ...box, points: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]] };
  const [far, close] = [box, cross].map((frame) => Math.hypot(...fitEye(frame, [0.55, 0.42, 1], FIELD, 1)));
  assert.ok(close < 0.8 * far, `${close} of ${far}`);
});

test("a box of size 0 still gets a camera", () => {
  const eye = fitEye(boxFrame([5, 0, 0], [0, 0, 0]), [0, 0, 1], FIELD, 1);
  assert.deepEqual(eye.map((each) => Math.round(each * 1e6) / 1e6 + 0), [5, 0, 1]);
  assert.deepEqual(normalized([0, 0, 2]), [0, 0, 1]);
});
