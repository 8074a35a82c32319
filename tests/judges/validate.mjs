// Prints, as JSON, what the Khronos validator says of each file named on the command line.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import validator from "gltf-validator";

const reports = {};
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(file));
  const options = {
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
  };
  const report = await validator.validateBytes(bytes, options);
  reports[file] = report.issues.messages.filter((message) => message.severity <= 1);
}
console.log(JSON.stringify(reports));
