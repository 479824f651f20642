// Run by shortage.test.ts with few descriptors: takes all that are free at one moment of a start after the other, and prints
// for each how the start ended, and whether there is a runtime that works when they are free again.
import { closeSync, openSync, readdirSync } from "node:fs";
import { createRuntime, type Runtime, VivariumError } from "../../src/index.ts";

const moments = 30;
const step = 2;
const cells = { count: 1, spare: 0, warm: 0 } as const;

const inUse = (): number => readdirSync("/proc/self/fd").length - 1;

// Other threads of Node open files for a moment, above all while it starts.
async function inUseAtRest(): Promise<number> {
  let least = inUse();
  for (let look = 0; look < 10; look++) {
    await new Promise((resolve) => setImmediate(resolve));
    least = Math.min(least, inUse());
  }
  return least;
}

function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken;
  }
}

const inWords = (error: unknown): string =>
  error instanceof VivariumError ? `${error.code}: ${error.message}` : `not one of ours: ${String(error)}`;

async function use(runtime: Runtime): Promise<string> {
  try {
    const outcome = await runtime.once("export default () => 42");
    return outcome.ok ? "works" : `${outcome.error.kind}: ${outcome.error.message}`;
  } catch (error) {
    return inWords(error);
  }
}

// The moment at which a start has opened so many descriptors, or is over.
async function until(count: number, start: Promise<unknown>): Promise<void> {
  const state = { isOver: false };
  void start.finally(() => (state.isOver = true)).catch(() => {});
  while (!state.isOver && inUse() < count) await new Promise((resolve) => setImmediate(resolve));
}

for (let more = 0; more <= moments; more += step) {
  const begun = await inUseAtRest();
  // The first time, none is free from the beginning.
  const early = more === 0 ? takeAll() : [];
  const start = createRuntime({ cells });
  if (more > 0) await until(begun + more, start);
  const taken = [...early, ...takeAll()];
  const [started] = await Promise.allSettled([start]);
  const first = started.status === "fulfilled" ? await use(started.value) : inWords(started.reason);
  for (const fd of taken) closeSync(fd);
  const runtime = started.status === "fulfilled" ? started.value : await createRuntime({ cells });
  const again = await use(runtime);
  await runtime.close();
  console.log(JSON.stringify({ more, first, again, left: (await inUseAtRest()) - begun }));
}
console.log("done");
