// Supervisors do what those of a real Erlang/OTP did when record.escript watched them: the whole table, row by row.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { createRuntime, unwrap, type Runtime, type Sandbox } from "../../src/index.ts";

interface Recorded {
  readonly fates: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly supervisor: "alive" | "gone";
}
interface Recording {
  readonly otp: string;
  readonly rows: readonly (Recorded & { strategy: string; restart: string; reason: string })[];
  readonly neighbours: readonly (Recorded & { strategy: string; others: string })[];
  readonly limits: readonly { restartsMax: number; crashes: number; supervisor: "alive" | "gone" }[];
}

const recording = JSON.parse(readFileSync(new URL("otp.json", import.meta.url), "utf8")) as Recording;

// The same three children under the same supervisor, with a log of which were started and stopped in which order.
const guest = `
import { server, supervisor, ask, children, exit, whereis } from "vivarium/guest";
let events = [];
const Child = server({
  name: "child",
  init(id) { events.push("started " + id); return { id }; },
  handleCall(message, state) {
    if (message === "crash") throw new Error("crash");
    return { reply: "ok", state, stop: message.stop };
  },
  terminate(reason, state) { events.push("stopped " + state.id); },
});
const spec = (id, restart) => ({ id, start: Child, args: id, restart, shutdownMs: 1000 });
const definitions = {};
for (const strategy of ["one-for-one", "one-for-all", "rest-for-one"]) {
  for (const kinds of ["permanent,permanent,permanent", "permanent,transient,permanent", "permanent,temporary,permanent", "transient,permanent,transient", "temporary,permanent,temporary"]) {
    const [a, b, c] = kinds.split(",");
    definitions[strategy + " " + kinds] = supervisor({ name: strategy + " " + kinds, strategy, children: [spec("a", a), spec("b", b), spec("c", c)] });
  }
}
const Limited = {};
for (const max of [0, 1, 3]) Limited[max] = supervisor({ name: "limited " + max, restartsMax: max, children: [spec("a", "permanent")] });

const settle = () => new Promise((resolve) => setTimeout(resolve, 15));
async function pids(sup) { return new Map((await children(sup)).map(({ id, pid }) => [id, pid])); }
async function endChild(id, reason) {
  const pid = whereis(id);
  if (reason === "killed") exit(pid, "kill");
  else if (reason === "error") await ask(pid, "crash").catch(() => {});
  else await ask(pid, { stop: reason === "shutdown-with" ? { shutdown: "why" } : reason }).catch(() => {});
}
async function underTest(definition, act) {
  // The supervisor under test is no child of the sandbox's tree: its end is what is looked at.
  await ask("bench", { start: definition });
  const sup = whereis("sup");
  const before = await pids(sup);
  events = [];
  await act(sup);
  await settle();
  const isAlive = whereis("sup") !== null;
  const now = isAlive ? await pids(sup) : new Map();
  const fates = {};
  for (const [id, pid] of before) {
    fates[id] = !isAlive ? "gone" : !now.has(id) ? "forgotten" : now.get(id) === null ? "stopped" : now.get(id) === pid ? "same" : "restarted";
  }
  const seen = [...events];
  if (isAlive) await ask("bench", { stop: true });
  return { fates, events: seen, supervisor: isAlive ? "alive" : "gone" };
}
export const row = (strategy, restart, reason) =>
  underTest(definitions[strategy + " permanent," + restart + ",permanent"], () => endChild("b", reason));
export const neighbours = (strategy, others) =>
  underTest(definitions[strategy + " " + others + ",permanent," + others], () => endChild("b", "error"));
export const limit = async (max, crashes) =>
  (await underTest(Limited[max], async () => { for (let i = 0; i < crashes; i++) { await endChild("a", "error"); await settle(); } })).supervisor;
export { definitions, Limited };
`;

// A supervisor that starts the one under test as a temporary child, so that its exit ends no other process.
const bench = `
import { server, supervisor, startChild, stopChild, children } from "vivarium/guest";
export const Bench = server({
  name: "bench",
  init: () => null,
  async handleCall(message, state) {
    if (message.start) return { reply: await startChild("lab", { id: "sup", start: message.start, restart: "temporary" }), state };
    await stopChild("lab", "sup");
    return { reply: true, state };
  },
});
export const Lab = supervisor({ name: "lab", restartsMax: 1000, children: [] });
export default supervisor({ name: "root", children: [{ id: "lab", start: Lab }, { id: "bench", start: Bench }] });
`;

let runtime: Runtime;
let sandbox: Sandbox;
before(async () => {
  runtime = await createRuntime({ cells: { count: 1, spare: 0 } });
  sandbox = await runtime.create({
    modules: { main: guest, bench },
    supervisor: "bench",
  });
});
after(() => runtime.close());

suite(`the rules of Erlang/OTP ${recording.otp}`, () => {
  for (const { strategy, restart, reason, ...expected } of recording.rows) {
    test(`${strategy}: a ${restart} child that ends with ${reason}`, async () => {
      assert.deepEqual(
        unwrap(await sandbox.call("main.row", { args: [strategy, restart, reason] })),
        expected,
      );
    });
  }
  for (const { strategy, others, ...expected } of recording.neighbours) {
    test(`${strategy}: ${others} neighbours of a permanent child that crashes`, async () => {
      assert.deepEqual(unwrap(await sandbox.call("main.neighbours", { args: [strategy, others] })), expected);
    });
  }
  for (const { restartsMax, crashes, supervisor } of recording.limits) {
    test(`${crashes} crashes where ${restartsMax} restarts are allowed leave the supervisor ${supervisor}`, async () => {
      assert.equal(unwrap(await sandbox.call("main.limit", { args: [restartsMax, crashes] })), supervisor);
    });
  }
});
