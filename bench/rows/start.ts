// From nothing to the first answer, each time in a process of its own.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { timed } from "../measure.ts";
import { ours, type Row } from "../row.ts";
import { doubling, entryUrl } from "../subject.ts";
import { timesAtMost } from "../target.ts";

const run = promisify(execFile);
const bareNode = "node -e 0";

// Prints the milliseconds from createRuntime() to the first answer, and those from before the import.
const program = `
const startedMs = performance.now();
const { createRuntime, unwrap } = await import(${JSON.stringify(entryUrl)});
const importedMs = performance.now();
const runtime = await createRuntime();
const sandbox = await runtime.create({ modules: { main: ${JSON.stringify(doubling)} } });
unwrap(await sandbox.call("main.double", { args: [21] }));
const answeredMs = performance.now();
console.log(JSON.stringify({ start: answeredMs - importedMs, import: answeredMs - startedMs }));
await runtime.close();`;

async function start(what: "start" | "import"): Promise<number> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
  return (JSON.parse(stdout) as Record<typeof what, number>)[what];
}

export const startRows: readonly Row[] = [
  {
    name: "runtime start",
    about:
      "createRuntime(), a sandbox and its first answer, in a new process, without and with the import of the package; beside an empty program of Node from its start to its end",
    unit: "ms",
    rounds: 10,
    targets: [timesAtMost("floor", 4, bareNode), timesAtMost("aim", 3, bareNode)],
    async prepare() {
      return [
        { name: ours, sample: () => start("start") },
        { name: `${ours}, with its import`, sample: () => start("import") },
        { name: bareNode, sample: () => timed(() => run(process.execPath, ["-e", "0"])) },
      ];
    },
  },
];
