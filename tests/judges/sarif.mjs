// Prints, as JSON, where each SARIF log named on the command line departs from the official schema
// of SARIF 2.1.0, which comes with a package of Microsoft's SDK.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import Ajv from "ajv";

const require = createRequire(import.meta.url);
const schema = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const ajv = new Ajv({ schemaId: "id", allErrors: true, meta: false, logger: false });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const validate = ajv.compile(schema);

const reports = {};
for (const file of process.argv.slice(2)) {
  validate(JSON.parse(await readFile(file, "utf-8")));
  reports[file] = (validate.errors ?? []).map((fault) => `${fault.dataPath}: ${fault.message}`);
}
console.log(JSON.stringify(reports));
