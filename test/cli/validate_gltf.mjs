// Prints what Khronos' validator says of a glTF file, as JSON. Usage: node validate_gltf.mjs FILE
// Ends with 77 where the validator is not installed.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

let validator;
try {
  validator = createRequire(new URL("../../viewer/package.json", import.meta.url))("gltf-validator");
} catch {
  process.exit(77);
}
const report = await validator.validateBytes(new Uint8Array(readFileSync(process.argv[2])));
console.log(JSON.stringify(report));
