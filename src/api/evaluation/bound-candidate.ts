// A sandbox as its evaluation sees it: bounded by the evaluation, its runs counted.
import { compileOwnerOf } from "../../code/compiler/compile-owner.ts";
import { parseModuleName } from "../../model/ids.ts";
import type { EvaluationUsage } from "../../model/fitness.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import { readGiven } from "../../model/schema.ts";
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { infoOf } from "../../orchestration/sandboxes/info.ts";
import type { RunTerms } from "../../orchestration/runs/ticket.ts";
import type { Engine } from "../wiring/engine.ts";
import type { Candidate, CandidateCallOptions } from "../types/fitness.ts";
import { currentVersion } from "../handles/local-versions.ts";
import { proxyOf } from "../handles/module-proxy.ts";
import { failed } from "../handles/outcomes.ts";
import { calleeOf, toTerms, toWireArgs, type Callee, type RunFields } from "../options/run-options.ts";
import type { ModuleProxy, RunOptions } from "../types/sandbox.ts";
import { signal } from "../options/options.ts";

const callNames = ["args", "timeoutMs", "cpuMs", "fuel", "signal"] as const;

/** What the candidates of one batch have in common. */
export class CandidateTerms {
  readonly engine: Engine;
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

export class BoundCandidate implements Candidate {
  readonly #terms: CandidateTerms;
  readonly #sandbox: ManagedSandbox;
  readonly #signal: AbortSignal;
  #usage: EvaluationUsage = { runs: 0, wallMs: 0, cpuMs: 0, fuel: null };

  constructor(terms: CandidateTerms, sandbox: ManagedSandbox, signal: AbortSignal) {
    this.#terms = terms;
    this.#sandbox = sandbox;
    this.#signal = signal;
  }

  get id(): string {
    return this.#sandbox.id;
  }

  /** What all its runs cost so far. */
  get total(): EvaluationUsage {
    return this.#usage;
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
    const { engine } = this.#terms;
    engine.checkOpen(`call sandbox "${this.id}"`);
    const terms = this.#terms.termsFor(callee, fields, this.#sandbox);
    const own = signal.read(fields.signal, "signal");
    const ended = own === undefined ? this.#signal : AbortSignal.any([own, this.#signal]);
    const args = toWireArgs(fields.args, this.#sandbox.limits.argsBytes);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#count(outcome);
        resolve(outcome);
      };
      engine.submit(this.#sandbox, { terms, args, settle }, ended);
    });
  }

  #count({ usage }: Outcome): void {
    const { runs, wallMs, cpuMs, fuel } = this.#usage;
    this.#usage = {
      runs: runs + 1,
      wallMs: wallMs + usage.wallMs,
      cpuMs: cpuMs + usage.cpuMs,
      fuel: usage.fuel === null ? fuel : (fuel ?? 0) + usage.fuel,
    };
  }
}
