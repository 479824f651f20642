// Operations that run code in sandboxes.
import type { Candidate, TestSuite } from "../../src/api/types/fitness.ts";
import type { RunOptions } from "../../src/api/types/sandbox.ts";
import type { Outcome } from "../../src/model/runs/outcome.ts";
import type { Caller } from "./caller.ts";
import type { Told } from "./ledger.ts";
import { sourceOf, type ExportName } from "./program.ts";
import { hasMet } from "./touches.ts";
import { limits } from "./world.ts";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly fromMs: number;
  readonly isRepeatable: boolean;
}

/** What a run may take in all: its wait, its time, and the time of those that hold its lane. */
export function boundOf(caller: Caller, timeoutMs: number): number {
  return 2 * (caller.world.plan.cells.waitMs + timeoutMs) + 10_000;
}

export function chooseExport(caller: Caller): ExportName {
  const name = caller.dice.weighted<ExportName>(caller.world.plan.exportWeights);
  const isGuilt = name === "hang" || name === "crash";
  return isGuilt && !caller.isGuilty ? "echo" : name;
}

export function optionsFor(caller: Caller, token: string): RunOptions & { readonly timeoutMs: number } {
  const { dice, world } = caller;
  const { shares } = world.plan;
  const repeatable = dice.chance(shares.repeatable);
  if (repeatable) world.ledger.mayRepeat(token);
  const timeoutMs = dice.pick(dice.chance(shares.long) ? [1_000, 2_000] : [40, 300]);
  return { timeoutMs, repeatable, ...caller.signal() };
}

function toldOf(value: unknown): Told | undefined {
  if (!Array.isArray(value) || value.length !== 5) return undefined;
  const [token, tag, instance, evaluation, count] = value as [string, string, number, number, number];
  return { token, tag, instance, evaluation, count };
}

/** Judges the outcome of a call. */
export function judge(caller: Caller, call: Call, outcome: Outcome): void {
  const { ledger } = caller.world;
  if (outcome.ok) {
    const told = toldOf(outcome.value);
    if (told !== undefined) ledger.told(call.id, told, call);
    else if (call.name !== "score")
      ledger.blame("value", `${call.token} gave ${JSON.stringify(outcome.value)}`);
    return;
  }
  const { kind, reason, message } = outcome.error;
  if (kind === "crashed" && call.name === "fail") return;
  const isShort = (call.name === "echo" || call.name === "count") && !caller.world.trouble.names.has("guilt");
  if (isShort && kind === "timeout") ledger.blame("innocent", `${call.token} on ${call.id}: ${message}`);
  if (kind === "cancelled" && reason === "lane") judgeWaiting(caller, call, message);
}

// Whoever is told that it waited too long must have waited for so long, and not have been at a cell that died.
function judgeWaiting(caller: Caller, call: Call, message: string): void {
  const { world } = caller;
  const { waitMs } = world.plan.cells;
  if (["start-fail", "start-never", "start-burst"].some((name) => world.trouble.names.has(name as never)))
    return;
  const sinceMs = world.ledger.lastAtCellMs(call.token) ?? call.fromMs;
  const waitedMs = world.clock.nowMs - sinceMs;
  if (waitedMs < waitMs)
    world.ledger.blame(
      "impatient",
      `${call.token} on ${call.id} waited ${waitedMs} of ${waitMs} ms: ${message}`,
    );
}

export async function call(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const name = chooseExport(caller);
  const token = caller.token(name);
  const options = optionsFor(caller, token);
  const args = [token, caller.dice.pick([0, 5, 30, 200, 700, 1_500])];
  const fromMs = caller.world.clock.nowMs;
  const ended = await caller.world.attempt(
    `call ${id} ${token}${options.repeatable === true ? " repeatable" : ""}`,
    boundOf(caller, options.timeoutMs),
    () => sandbox.call(`main.${name}`, { args, ...options }),
  );
  const isRepeatable = options.repeatable === true;
  if (ended.as === "value") judge(caller, { id, name, token, fromMs, isRepeatable }, ended.value);
}

export async function run(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const token = caller.token("run");
  const options = optionsFor(caller, token);
  const fromMs = caller.world.clock.nowMs;
  const ended = await caller.world.attempt(
    `run ${id} ${token}`,
    boundOf(caller, options.timeoutMs) + limits.compileMs,
    () => sandbox.run((_modules: object, given: string) => given, { args: [token] as [string], ...options }),
  );
  if (ended.as !== "value") return;
  judge(caller, { id, name: "run", token, fromMs, isRepeatable: false }, ended.value as Outcome);
}

export async function batchCall(caller: Caller): Promise<void> {
  const ids = [caller.id(), caller.id(), caller.id()];
  const name = chooseExport(caller);
  const tokens = ids.map(() => caller.token(name));
  const repeatable = caller.dice.chance(0.5);
  if (repeatable) for (const token of tokens) caller.world.ledger.mayRepeat(token);
  const fromMs = caller.world.clock.nowMs;
  const ended = await caller.world.attempt(`batch.call ${ids.join(" ")} ${tokens.join(" ")}`, 40_000, () =>
    caller.runtime?.batch.call(ids, `main.${name}`, {
      args: (_id: string, index: number) => [tokens[index], 20],
      timeoutMs: 1_000,
      repeatable,
      deadlineMs: caller.dice.pick([50, 1_000, 15_000, 15_000]),
      ...caller.signal(),
    }),
  );
  if (ended.as !== "value") return;
  for (const [index, outcome] of ended.value.entries()) {
    const token = tokens[index] as string;
    judge(caller, { id: ids[index] as string, name, token, fromMs, isRepeatable: repeatable }, outcome);
  }
}

export async function evaluate(caller: Caller): Promise<void> {
  const { dice, world } = caller;
  const ids = [caller.id(), caller.id()];
  const way = dice.pick(["function", "suite", "scorer"] as const);
  const token = caller.token("score");
  world.ledger.mayRepeat(token);
  const options = { deadlineMs: dice.pick([500, 5_000, 20_000]), repeats: dice.between(1, 2) };
  const fitness = {
    function: async (candidate: Candidate): Promise<number> => {
      const outcome = await candidate.call<number>("main.score", { args: [token], timeoutMs: 500 });
      return outcome.ok ? outcome.value : 0;
    },
    suite: suiteFor(caller),
    scorer: {
      questions: [{ call: "main.score" as const, args: [token] }],
      scorer: {
        modules: { main: sourceOf(caller.program("scorer", { isServer: false, ticks: false })) },
        call: "main.score" as const,
      },
    },
  }[way];
  const ended = await world.attempt(`evaluate ${way} ${ids.join(" ")}`, options.deadlineMs + 40_000, () =>
    caller.runtime?.batch.evaluate(ids, fitness, { ...options, ...caller.signal() }),
  );
  if (ended.as !== "value") return;
  for (const result of ended.value) {
    if (result.ok && way === "scorer" && result.score !== 7)
      world.ledger.blame("value", `the score of ${result.sandboxId} is ${result.score}`);
    for (const { name, failure } of result.tests)
      if (failure?.message.startsWith("Error: ") === true && failure.message !== `Error: ${name}`)
        world.ledger.blame("value", `the failure of ${name} is ${failure.message}`);
  }
}

// Each test is named by its token, and so is what is answered to it.
function suiteFor(caller: Caller): TestSuite {
  const { dice, world } = caller;
  const names = ["echo", "echo", "echo", "echo", "score", "fail", "spin", "wait", "eat"] as const;
  const tests = Array.from({ length: dice.between(1, 8) }, () => {
    const name = dice.pick(names);
    const token = caller.token(name);
    world.ledger.mayRepeat(token);
    const check = (answer: unknown): boolean => {
      const isOwn = name === "score" ? answer === 7 : toldOf(answer)?.token === token;
      if (!isOwn || name === "fail") world.ledger.blame("value", `${token} gave ${JSON.stringify(answer)}`);
      return isOwn;
    };
    return { name: token, call: `main.${name}` as const, args: [token, dice.pick([5, 30])], check };
  });
  return { tests, failedRun: dice.pick(["fail", "no-points"] as const) };
}

export async function ask(caller: Caller): Promise<void> {
  const id = caller.id();
  const { company, world } = caller;
  const sandbox = await caller.handle(id);
  const kind = company.kinds.get(id);
  if (sandbox === undefined || kind?.isServer !== true) return;
  const token = `${caller.token("ask")}${caller.dice.chance(0.3) ? "slow" : ""}`;
  const isKept = kind.checkpoint === "message";
  const options = optionsFor(caller, token);
  if (isKept) world.ledger.mayRepeat(token);
  const name = world.ledger.stateName(id);
  const before = world.ledger.answered.get(name) ?? 0;
  const touch = company.touches.begin(id, "ask");
  const ended = await world.attempt(`ask ${id} ${token}`, boundOf(caller, options.timeoutMs), () =>
    sandbox.ask("counter", token, options),
  );
  company.touches.end(touch);
  if (ended.as !== "value" || !ended.value.ok) return;
  const told = toldOf(ended.value.value);
  if (told?.token !== token) return world.ledger.blame("value", `${token} was told ${JSON.stringify(told)}`);
  const isSame = name === world.ledger.stateName(id) && company.kinds.get(id) === kind;
  if (!isKept || !isSame || company.unsureStates.has(name)) return;
  if (hasMet(touch, "create", "fork", "import", "restoreState", "reopen")) return;
  world.ledger.counted(id, told.count, before);
  const stored = world.disk.read(id);
  const count =
    stored?.state === undefined || stored.state === null ? 0 : Number(stored.state.servers[0]?.state);
  if (stored !== undefined && caller.isCertain(touch) && count < told.count)
    world.ledger.blame("unkept", `${id} answered ${told.count}, and the store has ${count}`);
}

export async function send(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined || caller.company.kinds.get(id)?.isServer !== true) return;
  const token = caller.token("send");
  const options = optionsFor(caller, token);
  if (caller.company.kinds.get(id)?.checkpoint === "message") caller.world.ledger.mayRepeat(token);
  await caller.world.attempt(`send ${id} ${token}`, boundOf(caller, options.timeoutMs), () =>
    sandbox.send("counter", token, options),
  );
}

export async function record(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const token = caller.token("record");
  caller.world.ledger.mayRepeat(token);
  const ended = await caller.world.attempt(`record ${id} ${token}`, 40_000, () =>
    sandbox.call("main.fail", { args: [token], record: true }),
  );
  if (ended.as !== "value") return;
  await caller.world.attempt(`replay ${id}`, 40_000, () => sandbox.replay(ended.value.recording));
}
