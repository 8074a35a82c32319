import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Vector3 } from "three";
import { fitDistance, MARGIN, type Frame, type Vector } from "../src/framing.ts";

const FIELD = (40 * Math.PI) / 180;
const DIRECTIONS: Vector[] = [[0.55, 0.42, 1], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-0.3, -0.9, 0.2]];
const SIZES: Vector[] = [[1, 1, 1], [10, 0.1, 3], [1e-4, 2e-4, 1e-4], [1e4, 3e3, 0]];

/** Return how far the corners of a box reach in the picture, 1 being its edge. */
function reach(frame: Frame, direction: Vector, aspect: number): number {
  const camera = new PerspectiveCamera(40, aspect, 1e-6, 1e6);
  const distance = fitDistance(frame, direction, FIELD, aspect);
  camera.position.set(...direction).normalize().multiplyScalar(distance).add(new Vector3(...frame.center));
  camera.lookAt(new Vector3(...frame.center));
  camera.updateMatrixWorld();
  let most = 0;
  for (const x of [-1, 1])
    for (const y of [-1, 1])
      for (const z of [-1, 1]) {
        const [hx, hy, hz] = frame.halfSize;
        const corner = new Vector3(x * hx, y * hy, z * hz).add(new Vector3(...frame.center)).project(camera);
        most = Math.max(most, Math.abs(corner.x), Math.abs(corner.y));
      }
  return most;
}

test("a box fills the picture at every aspect, from every side, whatever its size", () => {
  for (const aspect of [0.4, 1, 2.5])
    for (const direction of DIRECTIONS)
      for (const halfSize of SIZES) {
        const found = reach({ center: [1, 2, 3], halfSize }, direction, aspect);
        assert.ok(found <= 1 && found > 0.5 / MARGIN, `${found} at ${aspect} from ${direction}, ${halfSize}`);
      }
});

test("a box without any size is looked at from somewhere", () => {
  assert.equal(fitDistance({ center: [0, 0, 0], halfSize: [0, 0, 0] }, [0, 0, 1], FIELD, 1), 1);
});
