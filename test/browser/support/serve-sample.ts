// Serves the page with a sample, to look at it while it is made: `node test/browser/support/serve-sample.ts --individuals 2000`.
import { parseArgs } from "node:util";
import { sampleDump } from "./sample-dump.ts";
import { serveDump } from "./served.ts";

const { values } = parseArgs({
  options: { individuals: { type: "string" }, hostile: { type: "string" }, port: { type: "string" } },
});
const dump = sampleDump({
  individuals: Number(values.individuals ?? 400),
  ...(values.hostile === undefined ? {} : { hostile: values.hostile }),
});
const { url } = await serveDump(dump, Number(values.port ?? 0));
console.log(`${url}/`);
