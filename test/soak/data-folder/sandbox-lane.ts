// A lane of honest work: does one thing after the other to its own sandboxes and documents, and notes what was acknowledged.
import { type Limits, type SandboxInfo, type SandboxSpec } from "../../../src/index.ts";
import { Dice } from "../../fuzz/dice.ts";
import { type Seen, type Step } from "../../restart/kills/expected.ts";
import { look, sourceOf } from "../../restart/kills/subjects.ts";
import { kindOf, Unfinished, type Shared } from "./account.ts";

export const collection = "soak";
/** Far more than honest work takes, also on a busy machine. */
export const patient: Partial<Limits> = { timeoutMs: 60_000, loadMs: 60_000, stepMs: 60_000 };
const documentsEach = 20;
const documentBytesMax = 20_000;
const looksMax = 50;

/** The value of a document, as long as its number says. */
export function documentOf(number: number): { readonly number: number; readonly text: string } {
  return { number, text: "x".repeat((number * 7_919) % documentBytesMax) };
}

function specOf(kind: Seen["kind"], tag: number): SandboxSpec {
  const spec = { modules: { main: sourceOf(kind, tag) }, labels: { kind }, limits: patient };
  return kind === "plain" ? spec : { ...spec, supervisor: "main", checkpoint: "message" };
}

export interface SandboxLaneOptions {
  readonly name: string;
  readonly seed: number;
  /** How many sandboxes it has at most. */
  readonly sandboxes: number;
}

export class SandboxLane {
  readonly #shared: Shared;
  readonly #options: SandboxLaneOptions;
  readonly #dice: Dice;

  constructor(shared: Shared, options: SandboxLaneOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#dice = new Dice(options.seed);
  }

  async work(): Promise<void> {
    while (!this.#shared.isOver()) await this.#step();
  }

  async #step(): Promise<void> {
    const { name, sandboxes } = this.#options;
    if (this.#dice.chance(0.1)) return this.#write();
    const id = `${name}-${this.#dice.below(sandboxes)}`;
    const seen = this.#shared.account.living.get(id);
    if (seen === undefined && this.#dice.chance(0.3)) return this.#fork(id);
    if (seen !== undefined && this.#dice.chance(0.2)) return this.#disturb(id, seen);
    await this.#change(id, this.#choose(seen));
  }

  #choose(seen: Seen | undefined): Step {
    const tag = this.#shared.account.next();
    if (seen === undefined) return { op: "create", kind: this.#dice.chance(0.5) ? "counter" : "plain", tag };
    if (seen.status === "suspended") return { op: this.#dice.chance(0.2) ? "destroy" : "resume" };
    if (seen.kind === "counter" && this.#dice.chance(0.7)) return { op: "ask" };
    const drawn = this.#dice.below(20);
    if (drawn < 9) return { op: "evaluate", score: this.#dice.below(1_000) };
    if (drawn < 15) return { op: "reload", tag };
    if (drawn < 17 && seen.kind === "plain") return { op: "suspend" };
    return { op: "destroy" };
  }

  // One step; what became of the sandbox is looked at where the step did not say.
  async #change(id: string, step: Step, act = (): Promise<void> => this.#carryOut(id, step)): Promise<void> {
    const { account } = this.#shared;
    const isDone = await account.attempt(`${id} ${step.op}`, act);
    if (isDone) account.acknowledge(id, step);
    else account.settle(id, step, await this.#find(id));
  }

  async #carryOut(id: string, step: Step): Promise<void> {
    const { runtime, account } = this.#shared;
    if (step.op === "create") return void (await runtime.create(id, specOf(step.kind, step.tag)));
    const sandbox = await runtime.get(id);
    const seen = account.living.get(id);
    if (step.op === "ask") return this.#ask(id, (seen?.count ?? 0) + 1);
    if (step.op === "evaluate") {
      const [result] = await runtime.batch.evaluate([id], () => Promise.resolve(step.score));
      if (result?.ok !== true) throw new Unfinished(result?.error.kind ?? "no result", String(result?.error));
    } else if (step.op === "reload")
      await sandbox.hotReload({ main: sourceOf(seen?.kind ?? "plain", step.tag) });
    else if (step.op !== "write") await sandbox[step.op]();
  }

  async #ask(id: string, expected: number): Promise<void> {
    const { runtime, account } = this.#shared;
    const sandbox = await runtime.get(id);
    const startedMs = performance.now();
    const outcome = await sandbox.ask<number>("counter", "next");
    account.askMs.note(performance.now() - startedMs);
    if (!outcome.ok) throw new Unfinished(outcome.error.kind, outcome.error.message);
    if (outcome.value !== expected) account.fault(`${id} counted ${outcome.value}, not ${expected}`);
  }

  async #fork(id: string): Promise<void> {
    const { runtime, account } = this.#shared;
    const parentId = `${this.#options.name}-${this.#dice.below(this.#options.sandboxes)}`;
    const parent = account.living.get(parentId);
    if (parent === undefined || parent.status !== "running") return;
    const { kind, count } = parent;
    const tag = account.next();
    const state = this.#dice.chance(0.5);
    const step: Step = { op: "create", kind, tag, ...(state && count !== null && { count }) };
    const modules = { main: sourceOf(kind, tag) };
    await this.#change(id, step, async () => void (await runtime.fork(parentId, { id, modules, state })));
  }

  // What changes nothing: a call, and a reload that is refused.
  async #disturb(id: string, { status, tag }: Seen): Promise<void> {
    if (status !== "running") return;
    const { runtime, account } = this.#shared;
    const isCall = this.#dice.chance(0.8);
    await account.attempt(`${id} ${isCall ? "call" : "refused reload"}`, async () => {
      const sandbox = await runtime.get(id);
      if (!isCall) return expectRefusal(sandbox.hotReload({ main: "export const = ;" }));
      const outcome = await sandbox.call<number>("main.tag", { repeatable: true });
      if (!outcome.ok) throw new Unfinished(outcome.error.kind, outcome.error.message);
      if (outcome.value !== tag) account.fault(`${id} has code ${outcome.value}, not ${tag}`);
    });
  }

  async #write(): Promise<void> {
    const { runtime, account } = this.#shared;
    const key = `${this.#options.name}-${this.#dice.below(documentsEach)}`;
    const number = this.#dice.chance(0.2) ? undefined : account.next();
    await account.attempt(`write ${key}`, async () => {
      const row = [key, number === undefined ? undefined : documentOf(number)] as const;
      const startedMs = performance.now();
      await runtime.documents.write(collection, new Map([row]));
      account.writeMs.note(performance.now() - startedMs);
      if (number === undefined) account.documents.delete(key);
      else account.documents.set(key, number);
    });
  }

  // Looks at a sandbox, again where a cell is lost meanwhile.
  async #find(id: string): Promise<Seen | undefined> {
    const { runtime } = this.#shared;
    for (let looks = 1; ; looks++) {
      try {
        return (await look(runtime, await runtime.info(id)))[1];
      } catch (error) {
        const { code } = error as { readonly code?: string };
        if (code === "SANDBOX_NOT_FOUND" || (await isStopped(runtime.info(id)))) return undefined;
        if (looks === looksMax) throw error;
      }
    }
  }
}

async function isStopped(info: Promise<SandboxInfo>): Promise<boolean> {
  return (await info.catch(() => undefined))?.status === "stopped";
}

async function expectRefusal(reload: Promise<unknown>): Promise<void> {
  const code = await reload.then(
    () => "none",
    (error: unknown) => kindOf(error),
  );
  if (code !== "PARSE_FAILED") throw new Unfinished(code, "a reload with broken code was not refused for it");
}
