// A sandbox as its evaluation sees it: bounded by the evaluation, its runs counted.
import { compileOwnerOf } from "../../code/compiler/compile-owner.ts";
import { parseModuleName } from "../../model/ids.ts";
import type { EvaluationUsage } from "../../model/fitness.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import { readGiven } from "../../model/schema.ts";
import { at } from "../../model/wire/intrinsics.ts";
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { infoOf } from "../../orchestration/sandboxes/info.ts";
import type { RunSubmission, RunTerms, SeriesPlan } from "../../orchestration/runs/ticket.ts";
import type { Ending } from "../../std/ending.ts";
import type { Engine } from "../wiring/engine.ts";
import type { Candidate, CandidateCallOptions } from "../types/fitness.ts";
import { currentVersion } from "../handles/local-versions.ts";
import { proxyOf } from "../../model/runs/module-proxy.ts";
import { cancelledBySignal, failed } from "../../model/runs/unbegun.ts";
import { calleeOf, toTerms, toWireArgs, type Callee, type RunFields } from "../options/run-options.ts";
import type { ModuleProxy, RunOptions } from "../types/sandbox.ts";
import { signal } from "../options/options.ts";
import { CaseLists, type AskedCase } from "./case-lists.ts";

const callNames = ["args", "timeoutMs", "cpuMs", "fuel", "signal"] as const;

/** A candidate that is asked many cases. */
export interface AskedCandidate extends Candidate {
  /**
   * The outcomes of cases from `from` on, in their order: of at least one, and of as many as could be had at once. Where `isStrict`,
   * none follows one that failed.
   */
  ask(cases: readonly AskedCase[], from: number, isStrict: boolean): Promise<readonly Outcome[]>;
}

/** What the candidates of one batch have in common. */
export class CandidateTerms {
  readonly engine: Engine;
  readonly lists: CaseLists = new CaseLists();
  readonly #fields: RunFields;
  readonly #waitMs: number;
  readonly #known = new WeakMap<object, Map<string, RunTerms>>();

  /** `fields` bound every run that does not say otherwise; `waitMs` is how long one may wait for a lane. */
  constructor(engine: Engine, fields: RunFields, waitMs: number) {
    this.engine = engine;
    this.#fields = fields;
    this.#waitMs = waitMs;
  }

  /** Runs with the same limits and the same callee share their terms, so that they travel together. */
  termsFor(callee: Callee, fields: RunFields, { limits }: ManagedSandbox): RunTerms {
    const bounds = { ...this.#fields, ...fields, repeatable: true };
    const make = (): RunTerms => toTerms(callee, bounds, { limits, waitMs: this.#waitMs });
    if ("shipped" in callee) return make();
    const ofLimits = this.#known.get(limits) ?? new Map<string, RunTerms>();
    this.#known.set(limits, ofLimits);
    const { timeoutMs, cpuMs, fuel } = bounds;
    const key = `${callee.module}.${callee.export} ${String(timeoutMs)} ${String(cpuMs)} ${String(fuel)}`;
    const terms = ofLimits.get(key) ?? make();
    ofLimits.set(key, terms);
    return terms;
  }
}

/** From this length on arguments are sent to a cell once, also where they are those of a single case. */
const longArgs = 1_024;

export class BoundCandidate implements AskedCandidate {
  readonly #terms: CandidateTerms;
  readonly #sandbox: ManagedSandbox;
  readonly #over: Ending;
  /** How many cases are asked at once: as many as were answered, and twice as many when all were. */
  #window = Infinity;
  /** How many cases are asked one by one, as one of them cost the sandbox its isolate. */
  #alone = 0;
  readonly #usage: { -readonly [K in keyof EvaluationUsage]: EvaluationUsage[K] } = {
    runs: 0,
    wallMs: 0,
    cpuMs: 0,
    fuel: null,
  };

  /** All its runs end when the evaluation is over. */
  constructor(terms: CandidateTerms, sandbox: ManagedSandbox, over: Ending) {
    this.#terms = terms;
    this.#sandbox = sandbox;
    this.#over = over;
  }

  get id(): string {
    return this.#sandbox.id;
  }

  /** What all its runs cost so far. */
  get total(): EvaluationUsage {
    return { ...this.#usage };
  }

  async call<T = unknown>(
    target: `${string}.${string}`,
    options?: CandidateCallOptions,
  ): Promise<Outcome<T>> {
    return (await this.#start(calleeOf(target), readGiven(options, "options", callNames))) as Outcome<T>;
  }

  async run<R, A extends readonly unknown[], M extends object>(
    fn: (modules: M, ...args: A) => R,
    options?: CandidateCallOptions<A>,
  ): Promise<Outcome<Awaited<R>>> {
    const fields = readGiven(options, "options", callNames);
    const callee = await this.#terms.engine.ship(fn, this.#sandbox.limits, compileOwnerOf(this.#sandbox));
    if ("kind" in callee) return failed(callee);
    return (await this.#start(callee, fields)) as Outcome<Awaited<R>>;
  }

  async ask(cases: readonly AskedCase[], from: number, isStrict: boolean): Promise<readonly Outcome[]> {
    const { limits, processes } = this.#sandbox;
    const { target, args, timeoutMs } = at(cases, from);
    const fields = timeoutMs === undefined ? {} : { timeoutMs };
    const chunk = this.#terms.lists.chunkAt(cases, from, limits.argsBytes);
    const terms = this.#terms.termsFor(calleeOf(target), fields, this.#sandbox);
    // The steps of processes and the processor time of a run are bounded entry by entry.
    if (chunk !== undefined && processes === null && terms.cpuMs === null) {
      const { list, start } = chunk;
      const first = from - start;
      const count = Math.min(list.cases.length - first, this.#alone > 0 ? 1 : this.#window);
      if (count > 1 || at(list.cases, first).args.length >= longArgs)
        return this.#askSeries(fields, { list, from: first, count, isStrict });
    }
    const outcome = await this.#start(calleeOf(target), { ...fields, args });
    this.#noteAlone(outcome);
    return [outcome];
  }

  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T> {
    const module = parseModuleName(name);
    readGiven(options, "options", callNames);
    return proxyOf((name, args) => this.call(`${module}.${name}`, { ...options, args }));
  }

  async info(): Promise<SandboxInfo> {
    return infoOf(this.#sandbox, this.#terms.engine.parts.config.clock.monotonic());
  }

  async logs(): Promise<readonly LogLine[]> {
    return this.#sandbox.logs.toArray();
  }

  async source(module: string): Promise<string> {
    return currentVersion(this.#sandbox, module).artifact.source;
  }

  #start(callee: Callee, fields: RunFields): Promise<Outcome> {
    const terms = this.#terms.termsFor(callee, fields, this.#sandbox);
    const own = signal.read(fields.signal, "signal");
    const args = toWireArgs(fields.args, this.#sandbox.limits.argsBytes);
    return this.#submit({ terms, args }, own);
  }

  async #askSeries(fields: RunFields, asked: AskedSeries): Promise<readonly Outcome[]> {
    const { list, from, count } = asked;
    const all = list.targets.map(([module, name]) =>
      this.#terms.termsFor({ module, export: name }, fields, this.#sandbox),
    );
    const terms = at(all, at(list.cases, from).target);
    let before: readonly Outcome[] | undefined = [];
    const series: SeriesPlan = {
      ...asked,
      terms: all,
      onBefore: (outcomes) => (before = outcomes),
      onUnknown: () => (before = undefined),
    };
    const last = await this.#submit({ terms, args: [], series });
    // One of its cases did this, and is found by asking them one by one.
    if (before === undefined) {
      this.#alone = count;
      return [];
    }
    const outcomes = [...before, last];
    for (const outcome of before) this.#count(outcome);
    if (count === 1) this.#noteAlone(last);
    else this.#window = outcomes.length < count ? outcomes.length : this.#window * 2;
    return outcomes;
  }

  #noteAlone(outcome: Outcome): void {
    this.#window = Math.max(2, this.#window);
    this.#alone = outcome.ok ? Math.max(0, this.#alone - 1) : 0;
  }

  #submit(run: Omit<RunSubmission, "settle">, own?: AbortSignal): Promise<Outcome> {
    const { engine } = this.#terms;
    const [sandbox, over] = [this.#sandbox, this.#over];
    if (engine.isClosed) engine.checkOpen(`call sandbox "${this.id}"`);
    return new Promise((resolve) => {
      let waiting: ReturnType<Ending["onEnd"]> | undefined;
      const settle = (outcome: Outcome): void => {
        if (waiting !== undefined) over.forget(waiting);
        this.#count(outcome);
        resolve(outcome);
      };
      const ticket = engine.submit(sandbox, { ...run, settle }, own);
      if (ticket === undefined || ticket.isSettled) return;
      const cancel = (): void => sandbox.endRun(ticket, cancelledBySignal);
      if (over.isOver) cancel();
      else waiting = over.onEnd(cancel);
    });
  }

  #count({ usage }: Outcome): void {
    const total = this.#usage;
    total.runs++;
    total.wallMs += usage.wallMs;
    total.cpuMs += usage.cpuMs;
    if (usage.fuel !== null) total.fuel = (total.fuel ?? 0) + usage.fuel;
  }
}

type AskedSeries = Pick<SeriesPlan, "list" | "from" | "count" | "isStrict">;
