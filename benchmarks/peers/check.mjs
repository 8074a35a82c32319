// Validates files with gltf-validator and prints, as JSON, the time [s] it took and what it found.
// Usage: node check.mjs '{"sources": [...], "warm_up" or null}', in the folder that has node_modules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const validator = require('gltf-validator');
const seconds = () => performance.now() / 1000;

async function measure(source) {
  const start = seconds();
  const bytes = new Uint8Array(readFileSync(source));
  const report = await validator.validateBytes(bytes, {
    maxIssues: 0,
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(join(dirname(source), decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings } = report.issues;
  return { check: seconds() - start, serious: numErrors + numWarnings };
}

const request = JSON.parse(process.argv[2]);
if (request.warm_up) await measure(request.warm_up);
const answers = [];
for (const source of request.sources) {
  try {
    answers.push(await measure(source));
  } catch {
    answers.push({ check: 0, serious: 1 }); // it refuses what is no JSON
  }
}
console.log(JSON.stringify(answers));
