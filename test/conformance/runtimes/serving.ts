// A process that serves a runtime with a data folder, to be killed and started again: `FOLDER PORT TOKEN`.
import { createRuntime } from "../../../src/index.ts";
import { serve } from "./served.ts";

const [data = "", port = "0", token = ""] = process.argv.slice(2);
const runtime = await createRuntime({ data, cells: { count: 1, spare: 0, warm: 0 } });
const access = { tokens: [{ name: "test", token, scope: "admin" as const }] };
const served = await serve(runtime, { port: Number(port), access });
process.stdout.write(`${served.url}\n`);
