import assert from "node:assert/strict";
import { test } from "node:test";
import { number, quantity, range, ticks } from "../src/ticks.ts";

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

test("quantities are in units that people read", () => {
  assert.deepEqual(
    [quantity(0.0012345, "m"), quantity(4.7e-7, "m"), quantity(1.5, "m"), quantity(-68.451, "°"), quantity(2, "J")],
    ["1.235 mm", "0 mm", "1.5 m", "−68.45°", "2 J"],
  );
});

test("noise does not fill a plot", () => {
  const [low, high] = range([[0, 1e-6]], "m");
  assert.ok(low < 0 && low > -1e-3 && high > 1e-3 && high < 2e-3);
});
