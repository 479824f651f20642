// A sandbox as its evaluation sees it: bounded by the evaluation, its runs counted.
import { parseModuleName } from "../model/ids.ts";
import type { EvaluationUsage } from "../model/fitness.ts";
import type { LogLine } from "../model/log-line.ts";
import type { Outcome } from "../model/outcome.ts";
import type { SandboxInfo } from "../model/sandbox-info.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { infoOf } from "../orchestration/sandboxes/resident-info.ts";
import type { RunTerms } from "../orchestration/runs/ticket.ts";
import type { Engine } from "./engine.ts";
import type { Candidate, CandidateCallOptions } from "./fitness.ts";
import { currentVersion } from "./local-versions.ts";
import { readFields, readSignal, type Fields } from "./options.ts";
import { failed } from "./outcomes.ts";
import { aimAt, toTerms, toWireArgs, type Aim } from "./run-request.ts";
import type { ModuleProxy, RunOptions } from "./sandbox.ts";

const callNames = ["args", "timeoutMs", "cpuMs", "fuel", "signal"];

/** What the candidates of one batch have in common. */
export class CandidateTerms {
  readonly engine: Engine;
  readonly #fields: Fields;
  readonly #waitMs: number;
  readonly #known = new WeakMap<object, Map<string, RunTerms>>();

  /** `fields` bound every run that does not say otherwise; `waitMs` is how long one may wait for a lane. */
  constructor(engine: Engine, fields: Fields, waitMs: number) {
    this.engine = engine;
    this.#fields = fields;
    this.#waitMs = waitMs;
  }

  /** Runs with the same limits and the same aim share their terms, so that they travel together. */
  termsFor(aim: Aim, fields: Fields, { limits }: Resident): RunTerms {
    const bounds = { ...this.#fields, ...fields, repeatable: true };
    const make = (): RunTerms => toTerms(aim, bounds, { limits, waitMs: this.#waitMs });
    if ("shipped" in aim) return make();
    const ofLimits = this.#known.get(limits) ?? new Map<string, RunTerms>();
    this.#known.set(limits, ofLimits);
    const { timeoutMs, cpuMs, fuel } = bounds as RunOptions;
    const key = `${aim.module}.${aim.export} ${timeoutMs} ${cpuMs} ${fuel}`;
    const terms = ofLimits.get(key) ?? make();
    ofLimits.set(key, terms);
    return terms;
  }
}

export class BoundCandidate implements Candidate {
  readonly #terms: CandidateTerms;
  readonly #resident: Resident;
  readonly #signal: AbortSignal;
  #usage: EvaluationUsage = { runs: 0, wallMs: 0, cpuMs: 0, fuel: null };

  constructor(terms: CandidateTerms, resident: Resident, signal: AbortSignal) {
    this.#terms = terms;
    this.#resident = resident;
    this.#signal = signal;
  }

  get id(): string {
    return this.#resident.id;
  }

  /** What all its runs cost so far. */
  get total(): EvaluationUsage {
    return this.#usage;
  }

  async call<T = unknown>(
    target: `${string}.${string}`,
    options?: CandidateCallOptions,
  ): Promise<Outcome<T>> {
    return (await this.#start(aimAt(target), readFields(options, "options", callNames))) as Outcome<T>;
  }

  async run<R, A extends readonly unknown[], M extends object>(
    fn: (modules: M, ...args: A) => R,
    options?: CandidateCallOptions<A>,
  ): Promise<Outcome<Awaited<R>>> {
    const fields = readFields(options, "options", callNames);
    const shipped = await this.#terms.engine.ship(fn, this.#resident.limits);
    const outcome =
      "failed" in shipped
        ? failed({
            kind: "compile",
            message: shipped.failed.message,
            diagnostics: shipped.failed.diagnostics,
          })
        : await this.#start(shipped.aim, fields);
    return outcome as Outcome<Awaited<R>>;
  }

  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T> {
    const module = parseModuleName(name);
    return new Proxy(Object.create(null) as ModuleProxy<T>, {
      // `then` must stay missing: whoever awaits the proxy means the proxy.
      get: (_, property) =>
        typeof property === "string" && property !== "then"
          ? (...args: unknown[]) => this.call(`${module}.${property}`, { ...options, args })
          : undefined,
    });
  }

  async info(): Promise<SandboxInfo> {
    return infoOf(this.#resident, this.#terms.engine.parts.config.clock.monotonic());
  }

  async logs(): Promise<readonly LogLine[]> {
    return this.#resident.logs.toArray();
  }

  async source(module: string): Promise<string> {
    return currentVersion(this.#resident, module).artifact.source;
  }

  #start(aim: Aim, fields: Fields): Promise<Outcome> {
    const { engine } = this.#terms;
    engine.checkOpen(`call sandbox "${this.id}"`);
    const terms = this.#terms.termsFor(aim, fields, this.#resident);
    const own = readSignal(fields["signal"], "signal");
    const signal = own === undefined ? this.#signal : AbortSignal.any([own, this.#signal]);
    const args = toWireArgs(fields["args"], this.#resident.limits.argsBytes);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#count(outcome);
        resolve(outcome);
      };
      engine.submit(this.#resident, { terms, args, settle }, signal);
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
