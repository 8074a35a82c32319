// Loads and saves one file with glTF-Transform and prints the time [s] and memory [bytes] it took.
// Usage: node document.mjs '{"source", "target", "warm_up" or null, "spare"}', in the folder that has
// node_modules; a warm-up file is loaded and saved to `spare` first, unmeasured.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const { NodeIO, Logger, Verbosity } = require('@gltf-transform/core');
const { ALL_EXTENSIONS } = require('@gltf-transform/extensions');

// Linux carries maxRSS over from the parent through exec, VmHWM not.
function peakMemory() {
  const status = '/proc/self/status';
  const line = existsSync(status) && /VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'));
  return (line ? Number(line[1]) : process.resourceUsage().maxRSS) * 1024;
}
const seconds = () => performance.now() / 1000;

async function measure(source, target) {
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).setLogger(new Logger(Verbosity.SILENT));
  const base = peakMemory();
  const start = seconds();
  const document = await io.read(source);
  const loaded = seconds();
  const loadPeak = peakMemory() - base;
  const resumed = seconds();
  await io.write(target, document);
  const saved = seconds();
  return {
    load: loaded - start,
    save: saved - resumed,
    load_peak: loadPeak,
    save_peak: peakMemory() - base,
  };
}

const request = JSON.parse(process.argv[2]);
if (request.warm_up) await measure(request.warm_up, request.spare);
console.log(JSON.stringify(await measure(request.source, request.target)));
