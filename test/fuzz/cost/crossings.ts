// Hands a candidate over through the public API, as a guest or a tenant would, and says what that cost the host's thread.
import assert from "node:assert/strict";
import { VivariumError, type Outcome, type Runtime, type Sandbox } from "../../../src/index.ts";
import { settled } from "../../support/waiting.ts";
import { settleMsMax } from "../rounds.ts";
import { expressionOf, textOf, type Candidate } from "./candidates.ts";
import { leastHostCost, type HostCost } from "./host-meter.ts";

export interface Crossing extends HostCost {
  readonly guestMs: number;
  /** How it ended: "ok", the kind of an outcome, or the code of an error. */
  readonly end: string;
}

const buildMsMax = 3_000;

const mainOf = (candidate: Candidate): string => `
  import { take } from "vivarium/capabilities";
  import { server, supervisor } from "vivarium/guest";
  let value;
  export const build = () => { value = ${expressionOf(candidate)}; };
  const each = (value) => typeof value === "object" && value !== null && Symbol.iterator in value ? value : [value];
  export const result = () => value;
  export const argument = () => take(value);
  export const error = () => { throw Object.assign(new Error("thrown", { cause: value }), { value }); };
  export const log = () => { console.log(value); };
  export const logs = () => { for (const item of each(value)) console.log(item); };
  export const names = () => { for (const item of each(value)) globalThis[String(item)] = item; throw value; };
  const Keeper = server({ init: () => 0, handleCall: () => ({ reply: 1, state: value }) });
  export default supervisor({ children: [{ id: "keeper", start: Keeper }] });`;

/** What a candidate costs, as the least of some measurements; undefined when the guest cannot even build it. */
export async function cross(
  runtime: Runtime,
  candidate: Candidate,
  times: number,
): Promise<Crossing | undefined> {
  switch (candidate.channel) {
    case "source":
      return createdFrom(runtime, { main: textOf(candidate) }, times);
    case "edit":
      return edited(runtime, candidate, times);
    case "id":
    case "labels":
      return labelled(runtime, candidate, times);
    default:
      return handedOver(runtime, candidate, times);
  }
}

async function handedOver(
  runtime: Runtime,
  candidate: Candidate,
  times: number,
): Promise<Crossing | undefined> {
  const { channel } = candidate;
  await using sandbox = await runtime.create({
    modules: { main: mainOf(candidate) },
    supervisor: "main",
    capabilities: { take: { calls: 100, bytes: 2 ** 40 } },
  });
  const built = await outcomeOf(sandbox.call("main.build", { timeoutMs: buildMsMax }));
  if (built.end !== "ok") return undefined;
  if (channel === "state") await outcomeOf(sandbox.ask("keeper", 0));
  const give = (): Promise<Ended> =>
    channel === "state"
      ? checkpointed(sandbox)
      : outcomeOf(sandbox.call(`main.${channel}`, { timeoutMs: buildMsMax }));
  let last: Ended = { end: "never", guestMs: 0 };
  const cost = await leastHostCost(times, async () => {
    last = await give();
    if (channel === "logs" || channel === "log") await sandbox.logs();
  });
  return { ...cost, ...last };
}

interface Ended {
  readonly end: string;
  readonly guestMs: number;
}

async function outcomeOf(promise: Promise<Outcome<unknown>>): Promise<Ended> {
  const ended = await settled("a call", promise, settleMsMax);
  if (ended.status === "rejected") return { end: codeOf(ended.reason), guestMs: 0 };
  const { value: outcome } = ended;
  return { end: outcome.ok ? "ok" : outcome.error.kind, guestMs: outcome.usage.cpuMs };
}

async function checkpointed(sandbox: Sandbox): Promise<Ended> {
  const ended = await settled("a checkpoint", sandbox.checkpoint(), settleMsMax);
  return { end: ended.status === "rejected" ? codeOf(ended.reason) : "ok", guestMs: 0 };
}

async function createdFrom(
  runtime: Runtime,
  modules: Record<string, string>,
  times: number,
): Promise<Crossing> {
  let end = "never";
  let turn = 0;
  const cost = await leastHostCost(times, async () => {
    // A new text each time, as a known one is not compiled again.
    const fresh = Object.fromEntries(
      Object.entries(modules).map(([name, text]) => [name, `${text}\n//${turn++}`]),
    );
    const ended = await settled("create", runtime.create({ modules: fresh }), settleMsMax);
    end = ended.status === "rejected" ? codeOf(ended.reason) : "ok";
    if (ended.status === "fulfilled") await ended.value.destroy();
  });
  return { ...cost, end, guestMs: 0 };
}

/** A reload from one large text to another, and their diff. */
async function edited(runtime: Runtime, candidate: Candidate, times: number): Promise<Crossing | undefined> {
  const made = await settled("create", runtime.create({ modules: { main: textOf(candidate) } }), settleMsMax);
  if (made.status === "rejected") return undefined;
  await using sandbox = made.value;
  const other = { main: textOf(candidate, "/**/\n") };
  const reloaded = await settled("a reload", sandbox.hotReload(other), settleMsMax);
  if (reloaded.status === "rejected") return undefined;
  const cost = await leastHostCost(times, async () => {
    await settled("a diff", sandbox.diff("main", 1, 2), settleMsMax);
  });
  return { ...cost, end: "ok", guestMs: 0 };
}

const labelsMax = 256;

/** Ids and labels are the caller's, on behalf of a tenant: long ones, many ones. */
async function labelled(
  runtime: Runtime,
  candidate: Candidate,
  times: number,
): Promise<Crossing | undefined> {
  const { n, k, channel } = candidate;
  // More are refused: what it costs to make them is the caller's own.
  if (channel === "labels" && n > labelsMax) return undefined;
  const labels = Object.fromEntries(Array.from({ length: n }, (_, i) => [`l${i}`, "x".repeat(k)]));
  let end = "never";
  const modules = { main: "export const f = () => 1;" };
  const cost = await leastHostCost(times, async () => {
    const making =
      channel === "id" ? runtime.create("i".repeat(n), { modules }) : runtime.create({ modules, labels });
    const ended = await settled("create", making, settleMsMax);
    end = ended.status === "rejected" ? codeOf(ended.reason) : "ok";
    if (ended.status === "fulfilled") await ended.value.destroy();
  });
  return { ...cost, end, guestMs: 0 };
}

function codeOf(error: unknown): string {
  assert.ok(error instanceof VivariumError, `not one of ours: ${String(error)}`);
  return error.code;
}
