// Many sandboxes by one batch while busy loops take the processors: the machine is slow, and none of them is to blame for
// it. `node test/soak/busy-batch.ts` makes 2,000 beside four loops; `--sandboxes N --loops N` for others.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { createRuntime } from "../../src/index.ts";

export interface BusyBatch {
  readonly sandboxes: number;
  readonly tookMs: number;
  /** The messages of those that failed, with their number. */
  readonly failures: ReadonlyMap<string, number>;
  /** Cells that were lost meanwhile, by their causes. */
  readonly exits: readonly string[];
}

/** Creates so many one-line sandboxes at once beside so many busy loops. */
export async function runBusyBatch(sandboxes: number, loops: number): Promise<BusyBatch> {
  const busy = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  try {
    await using runtime = await createRuntime();
    const exits: string[] = [];
    runtime.events.on("cell.exited", ({ cause }) => void (cause === "unwanted" || exits.push(cause)));
    const startedMs = performance.now();
    const specs = Array.from({ length: sandboxes }, (_, n) => ({
      modules: { main: `export const own = () => ${n};` },
    }));
    const made = await runtime.batch.create(specs);
    const failures = new Map<string, number>();
    for (const result of made) {
      if (result.ok) continue;
      const said = `${result.error.code}: ${result.error.message.replaceAll(result.sandboxId ?? "", "…")}`;
      failures.set(said, (failures.get(said) ?? 0) + 1);
    }
    return { sandboxes, tookMs: performance.now() - startedMs, failures, exits };
  } finally {
    for (const loop of busy) loop.kill("SIGKILL");
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      sandboxes: { type: "string", default: "2000" },
      loops: { type: "string", default: "4" },
    },
  });
  const { sandboxes, tookMs, failures, exits } = await runBusyBatch(
    Number(values.sandboxes),
    Number(values.loops),
  );
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${sandboxes} sandboxes in ${Math.round(tookMs)} ms, ${failed} failed, ${exits.length} cells lost`,
  );
  for (const [said, count] of failures) console.log(`  ${count} × ${said}`);
  if (exits.length > 0) console.log(`  cells lost: ${exits.join()}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
