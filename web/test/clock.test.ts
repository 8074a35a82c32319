import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, HOLD, frameAt } from "../src/clock.ts";

const times = new Float32Array([0, 0.1, 0.2, 0.3]);

test("the last frame at or before a time is shown", () => {
  assert.deepEqual([0, 0.05, 0.1, 0.29, 5].map((time) => frameAt(times, time)), [0, 0, 1, 2, 3]);
  assert.equal(frameAt(new Float32Array(), 1), 0);
});

test("time passes at the speed that was asked for, while playing", () => {
  const clock = new Clock(times);
  assert.equal(clock.advance(0.1), false);
  clock.play();
  clock.speed = 2;
  assert.equal(clock.advance(0.1), true);
  assert.equal(clock.time, 0.2);
  clock.pause();
  assert.equal(clock.advance(1), false);
});

test("a loop holds the last frame and starts again", () => {
  const clock = new Clock(times);
  clock.play();
  clock.advance(0.4);
  assert.equal(clock.time, clock.end);
  clock.advance(HOLD);
  assert.equal(clock.time, 0);
  assert.ok(clock.playing);
});

test("without a loop it stops at the end, and plays from the start again", () => {
  const clock = new Clock(times);
  clock.loop = false;
  clock.play();
  clock.advance(9);
  assert.deepEqual([clock.time, clock.playing], [clock.end, false]);
  clock.play();
  assert.deepEqual([clock.time, clock.playing], [0, true]);
});

test("steps go from frame to frame, and not beyond the ends", () => {
  const clock = new Clock(times);
  clock.play();
  clock.step(1);
  assert.deepEqual([clock.frame, clock.playing], [1, false]);
  clock.step(-5);
  assert.equal(clock.frame, 0);
  clock.step(50);
  assert.equal(clock.frame, 3);
});

test("a still scene does not play", () => {
  const clock = new Clock(new Float32Array([0]));
  clock.play();
  assert.equal(clock.playing, false);
});
