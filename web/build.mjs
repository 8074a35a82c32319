// Bundles the player into one script, and puts beside it the decoders that some files need and the
// notices that the licences of all of them ask for.
//
//   node build.mjs OUT_FOLDER
import { build } from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "build");
const three = join(here, "node_modules", "three");
const libraries = join(three, "examples", "jsm", "libs");

const DECODERS = [
  "draco/gltf/draco_wasm_wrapper.js",
  "draco/gltf/draco_decoder.wasm",
  "basis/basis_transcoder.js",
  "basis/basis_transcoder.wasm",
];

const NOTICES = [
  ["three.js", join(three, "LICENSE")],
  ["meshoptimizer (decoder), MIT License, Copyright (c) 2016-2026 Arseny Kapoulkine"],
  ["Draco (decoder), Apache License 2.0, Copyright The Draco Authors"],
  ["Basis Universal (transcoder), Apache License 2.0, Copyright Binomial LLC"],
  ["ktx-parse, MIT License, Copyright (c) 2020 Don McCurdy"],
  ["zstddec, MIT License, Copyright (c) 2020 Don McCurdy"],
];

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outfile: join(out, "player.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  define: { "import.meta.url": JSON.stringify("file:///") }, // the loaders name decoders by it, which a page maps to its own
  legalComments: "eof",
  loader: { ".css": "text" },
  logLevel: "warning",
});
for (const decoder of DECODERS) {
  await copyFile(join(libraries, decoder), join(out, decoder.split("/").pop()));
}
const mit = await readFile(join(three, "LICENSE"), "utf8");
const notices = await Promise.all(
  NOTICES.map(async ([name, file]) => (file ? `${name}\n\n${await readFile(file, "utf8")}` : name)),
);
const grant = mit.slice(mit.indexOf("Permission is hereby granted"));
await writeFile(
  join(out, "NOTICES.txt"),
  `The player page contains the following.\n\n${notices.join("\n\n")}\n\nThe MIT License:\n\n${grant}\n` +
    "The Apache License 2.0 is in the file LICENSE of Ligament.\n",
);
