import assert from "node:assert/strict";
import { test } from "node:test";
import { number, range, ticks } from "../src/ticks.ts";

test("an axis has round numbers", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(-0.011, 0.011, 4), [-0.01, 0, 0.01]);
  assert.deepEqual(ticks(1, 1, 4), []);
});

test("a range has all finite values, and room where they are one", () => {
  const [low, high] = range([[0, 1, Infinity], [NaN, -1]]);
  assert.ok(low < -1 && high > 1 && high < 1.2);
  const [below, above] = range([[5, 5]]);
  assert.ok(below < 5 && above > 5);
  assert.deepEqual(range([[]]), [0, 1]);
});

test("numbers are short", () => {
  assert.deepEqual([0, 1.23456, -2, 1e7, 2e-6].map((value) => number(value)), ["0", "1.235", "−2", "1.00e+7", "2.00e-6"]);
  assert.equal(number(NaN), "–");
});
