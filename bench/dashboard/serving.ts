// The server whose page is measured: a runtime with so many sandboxes, and a tracker that knows so many individuals.
import { createRuntime, type Runtime } from "vivarium";
import { Tracker } from "vivarium/evolution";
import { createServer, listen } from "vivarium/server";

export interface ServedPage extends AsyncDisposable {
  readonly link: string;
  readonly runtime: Runtime;
  readonly sandboxIds: readonly string[];
}

const generations = 50;
const atOnce = 500;

export async function servePage(size: {
  readonly individuals: number;
  readonly sandboxes: number;
}): Promise<ServedPage> {
  const runtime = await createRuntime({ capacity: { sandboxes: 20_000 } });
  const tracker = new Tracker({ direction: "minimise" });
  const unfollow = tracker.follow(runtime.events);
  breed(tracker, size.individuals);
  const sandboxIds = Array.from({ length: size.sandboxes }, (_, number) => `live-${number}`);
  for (let at = 0; at < sandboxIds.length; at += atOnce) {
    const specs = sandboxIds.slice(at, at + atOnce).map((id) => ({
      id,
      modules: { main: "export const score = (n) => n * 2;" },
      placement: { dense: true },
    }));
    for (const result of await runtime.batch.create(specs)) if (!result.ok) throw result.error;
    process.stderr.write(`\r${Math.min(at + atOnce, sandboxIds.length)} sandboxes`);
  }
  if (sandboxIds.length > 0) process.stderr.write("\n");
  const listening = await listen(createServer(runtime, { tracker }), { port: 0 });
  return {
    link: `${listening.url}/#token=${listening.token}`,
    runtime,
    sandboxIds,
    [Symbol.asyncDispose]: async () => {
      unfollow();
      await listening.close({ drainMs: 0 });
      await runtime.close();
    },
  };
}

// Two parents for each, so that there are twice as many edges.
function breed(tracker: Tracker, count: number): void {
  const each = Math.ceil(count / generations);
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let number = 0; number < count; number++) {
    const generation = Math.floor(number / each);
    const before = (): string => `i${(generation - 1) * each + Math.floor(random() * each)}`;
    const parentIds = generation === 0 ? [] : [before(), before()];
    const id = `i${number}`;
    tracker.lineage.born({ id, parentIds, generation });
    const score = 10 - generation * 0.1 + random();
    tracker.fitness.record({ id, score, result: "ok", evaluatedAt: 1_700_000_000_000 + number * 10 });
    if (generation < generations - 1) tracker.lineage.died(id);
  }
}
