import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";
import { decodeBase64, unpack, values } from "../src/data.ts";
import { thinned } from "../src/timeline.ts";

test("packed data is unpacked", async () => {
  const bytes = new Uint8Array([1, 2, 250, 0]);
  const packed = gzipSync(bytes).toString("base64");
  assert.deepEqual(new Uint8Array(await unpack(`\n${packed}\n`)), bytes);
  assert.deepEqual(decodeBase64("AQL6AA=="), bytes);
});

test("arrays are found by their spans", () => {
  assert.deepEqual([...values(new Float32Array([1, 2, 3, 4]), [1, 2])], [2, 3]);
});

test("many marks become few, evenly chosen", () => {
  assert.deepEqual(thinned([1, 2, 3], 5), [1, 2, 3]);
  assert.deepEqual(thinned([...Array(10).keys()], 5), [0, 2, 4, 6, 8]);
});
