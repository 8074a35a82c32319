import assert from "node:assert/strict";
import { test } from "node:test";
import { readLink, writeLink, type Link } from "../src/link.ts";

test("a link is read as it was written", () => {
  const link: Link = {
    time: 1.25,
    camera: [1, 2.5, -3, 0, 0.125, 0],
    selection: [1, 42],
    layers: ["meshes", "joints"],
    theme: "dark",
  };
  assert.deepEqual(readLink(`#${writeLink(link)}`), link);
  assert.deepEqual(readLink(writeLink({ layers: [] })), { layers: [] });
});

test("malformed parts are ignored", () => {
  assert.deepEqual(readLink("#t=soon&view=1,2&select=x.y&theme=<b>"), {});
  assert.deepEqual(readLink("#t=Infinity&select=1.5.2"), {});
  assert.deepEqual(readLink(""), {});
});
