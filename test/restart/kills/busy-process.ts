// A process with a runtime on a data folder that says what it found there, and then works until it is killed: it says on its
// output what it begins and what it was told to be done. Started by kills.ts.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRuntime } from "../../../src/index.ts";
import { childrenOf } from "../../support/processes.ts";
import { Dice } from "../../fuzz/dice.ts";
import type { Line, Seen, Step } from "./expected.ts";
import { look, sourceOf } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    durability: { type: "string", default: "process" },
    destroyed: { type: "string", default: "" },
    once: { type: "boolean", default: false },
  },
});
const callers = 8;
const idsEach = 3;

// At once and whole, so that what was said is not lost with the process.
function say(line: Line): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const startedMs = performance.now();
const durability = values.durability === "power" ? "power" : "process";
const runtime = await createRuntime({
  data: { path: values.data, durability },
  cells: { count: 1, spare: 0, warm: 4 },
});
const openMs = performance.now() - startedMs;
const found = await Promise.all((await runtime.list()).map((info) => look(runtime, info)));
const stopped = await Promise.all(
  values.destroyed
    .split(",")
    .filter((id) => id !== "")
    .map(async (id) => ((await runtime.info(id).catch(() => undefined))?.status === "stopped" ? [id] : [])),
);
const documents = (await runtime.documents.read("kills")) as readonly (readonly [string, unknown])[];
const pids = childrenOf(process.pid);
say({ t: "found", sandboxes: found, tombstones: stopped.flat(), documents, pids, openMs });
if (values.once) {
  await runtime.close();
  process.exit(0);
}

let lastTag = Number(values.seed) * 100_000;
await Promise.all(Array.from({ length: callers }, (_, number) => work(number)));

async function work(number: number): Promise<void> {
  const dice = new Dice(Number(values.seed) * 1_000 + number);
  const known = new Map(found);
  let written = Number(new Map(documents).get(`d${number}`) ?? 0);
  for (;;) {
    const id = `s${number}-${dice.below(idsEach)}`;
    const seen = known.get(id);
    const step = dice.chance(0.1) ? ({ op: "write", value: ++written } as const) : chooseStep(seen, dice);
    const key = step.op === "write" ? `d${number}` : id;
    say({ t: "begin", id: key, step });
    const error = await carryOut(key, seen, step).catch((thrown: unknown) => String(thrown));
    say({ t: "done", id: key, error });
    if (step.op === "write") continue;
    if (step.op === "destroy") known.delete(id);
    else if (step.op === "create")
      known.set(id, { ...step, status: "running", revision: 1, count: 0, score: null });
    else if (step.op === "suspend") known.set(id, { ...(seen as Seen), status: "suspended" });
    else if (step.op === "resume") known.set(id, { ...(seen as Seen), status: "running" });
  }
}

function chooseStep(seen: Seen | undefined, dice: Dice): Step {
  if (seen === undefined)
    return { op: "create", kind: dice.chance(0.5) ? "counter" : "plain", tag: ++lastTag };
  if (seen.status === "suspended") return { op: dice.chance(0.3) ? "destroy" : "resume" };
  if (seen.kind === "counter" && dice.chance(0.5)) return { op: "ask" };
  const drawn = dice.below(10);
  if (drawn < 4) return { op: "evaluate", score: dice.below(1_000) };
  if (drawn < 7) return { op: "reload", tag: ++lastTag };
  if (drawn < 8 && seen.kind === "plain") return { op: "suspend" };
  return { op: "destroy" };
}

async function carryOut(id: string, seen: Seen | undefined, step: Step): Promise<string | null> {
  if (step.op === "write") {
    await runtime.documents.write("kills", new Map([[id, step.value]]));
    return null;
  }
  if (step.op === "create") {
    const { kind, tag } = step;
    const spec = { modules: { main: sourceOf(kind, tag) }, labels: { kind } };
    const processes = { supervisor: "main", checkpoint: "message" } as const;
    await runtime.create(id, kind === "plain" ? spec : { ...spec, ...processes });
    return null;
  }
  const sandbox = await runtime.get(id);
  if (step.op === "ask") {
    const outcome = await sandbox.ask("counter", "next");
    return outcome.ok ? null : outcome.error.message;
  }
  if (step.op === "evaluate") {
    const [result] = await runtime.batch.evaluate([id], () => Promise.resolve(step.score));
    return result?.ok === true ? null : (result?.error.message ?? "no result");
  }
  if (step.op === "reload") await sandbox.hotReload({ main: sourceOf(seen?.kind ?? "plain", step.tag) });
  else await sandbox[step.op]();
  return null;
}
