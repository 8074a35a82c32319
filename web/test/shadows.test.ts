import assert from "node:assert/strict";
import { test } from "node:test";
import { ShaderChunk } from "three";
import { softened } from "../src/shadows.ts";

test("the filter of three's shadows is replaced by a finer one", () => {
  const chunk = ShaderChunk.shadowmap_pars_fragment;
  const fine = softened(chunk);
  assert.ok(chunk.includes("vogelDiskSample( 4, 5, phi )"));
  assert.ok(!fine.includes("vogelDiskSample( 4, 5, phi )"));
  assert.ok(fine.includes("shadow /= 14.0;"));
  assert.equal(fine.split("{").length, fine.split("}").length);
});
