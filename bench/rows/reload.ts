// New code in a running sandbox: from the source until it answers, forwards and back.
import type { Sandbox } from "vivarium";
import { fiftyLines } from "../fifty-lines.ts";
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime, unwrap } from "../subject.ts";
import { atMost, timesAtMost } from "../target.ts";

const main = `import { answer, score } from "./part"; export const ask = () => score([], 1) * answer;`;
/** The module of fifty lines, with another answer each time. */
const partThat = (answer: number): string => `${fiftyLines}export const answer = ${answer};`;
/** Until the way of a reload is optimised code in all processes. */
const warmUpReloads = 200;
const keptAnswers = [1, 2];
/** Taken together, as reading processor times takes longer than one. */
const operations = 10;
const peer = "Vite's module runner";

async function ask(sandbox: Sandbox, expected: number): Promise<void> {
  const answered = unwrap(await sandbox.call("main.ask"));
  if (answered !== expected) throw new Error(`it answered ${String(answered)} instead of ${expected}`);
}

async function reload(sandbox: Sandbox, answer: number): Promise<void> {
  await sandbox.hotReload({ part: partThat(answer) });
  await ask(sandbox, answer);
}

/** Numbers that were not used before. */
function counter(): () => number {
  let last = 100;
  return () => ++last;
}

async function severalTimes(act: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < operations; count++) times.push(await timed(act));
  return times;
}

const forwards: Row = {
  name: "hot reload, 50 lines",
  about: `from the source of one module to an answer of the one that imports it, after ${warmUpReloads} to warm up; Vite: the same, in its own process`,
  unit: "ms",
  rounds: 20,
  targets: [timesAtMost("floor", 0.5, peer), timesAtMost("aim", 0.3, peer)],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const next = counter();
    const create = (answer: number): Promise<Sandbox> =>
      runtime.create("reloaded-anew", { modules: { main, part: partThat(answer) } });
    const sandbox = await runtime.create({ modules: { main, part: partThat(0) } });
    const vite = stack.use(startPeer("vite.ts"));
    await vite.ask("load", main, partThat(0));
    await create(0);
    for (let i = 0; i < warmUpReloads; i++) {
      await reload(sandbox, next());
      await vite.ask("update", partThat(i), i);
    }
    return [
      { name: ours, operations, sample: () => severalTimes(() => reload(sandbox, next())) },
      {
        name: `${ours}, source known to the cache`,
        operations,
        sample: () => severalTimes(() => swap(sandbox)),
      },
      {
        name: "destroying and creating it anew",
        operations,
        sample: () =>
          severalTimes(async () => {
            const answer = next();
            await runtime.destroy("reloaded-anew");
            await ask(await create(answer), answer);
          }),
      },
      {
        name: peer,
        operations,
        async sample() {
          const times: number[] = [];
          for (let count = 0; count < operations; count++) {
            const answer = next();
            times.push(await vite.ask("update", partThat(answer), answer));
          }
          return times;
        },
      },
    ];
  },
};

// To the one of two sources that it does not have now.
async function swap(sandbox: Sandbox): Promise<void> {
  keptAnswers.reverse();
  await reload(sandbox, keptAnswers[0] as number);
}

const backwards: Row = {
  name: "rollback",
  about:
    "from one version of a 50-line module to another that is kept, until the one that imports it answers",
  unit: "ms",
  rounds: 20,
  targets: [atMost("floor", 1, { text: "≤ 1 ms" }), atMost("aim", 0.5, { text: "≤ 0.5 ms" })],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const sandbox = await runtime.create({ modules: { main, part: partThat(1) } });
    await reload(sandbox, 2);
    let version = 2;
    const turn = async (): Promise<void> => {
      version = 3 - version;
      await sandbox.rollback("part", version);
      await ask(sandbox, version);
    };
    for (let i = 0; i < warmUpReloads; i++) await turn();
    return [{ name: ours, operations, sample: () => severalTimes(turn) }];
  },
};

export const reloadRows: readonly Row[] = [forwards, backwards];
