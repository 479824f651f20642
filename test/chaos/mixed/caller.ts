// One of several callers: does one thing after the other to sandboxes at random, and judges every answer.
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome, Runtime, Sandbox } from "../../../src/index.ts";
import { mainOf, modulesOf, moment, numberIn, resetsOf, Subject, type Moment } from "./subject.ts";
import type { Watch } from "./watch.ts";

const MiB = 2 ** 20;
const targets = ["main.quick", "main.later", "main.long"] as const;

/** What all callers share. */
export interface Setup {
  readonly runtime: Runtime;
  readonly watch: Watch;
  readonly living: Subject[];
  readonly gone: Subject[];
  readonly least: number;
  readonly most: number;
  /** Numbers that were not used before. */
  readonly next: () => number;
}

export class Caller {
  readonly #setup: Setup;
  readonly #random: () => number;

  constructor(setup: Setup, random: () => number) {
    this.#setup = setup;
    this.#random = random;
  }

  /** Goes on until the run is over. */
  async work(): Promise<void> {
    while (!this.#setup.watch.isOver) await this.#step();
  }

  /** Calls a sandbox and judges what it answers. */
  async call(subject: Subject, options: { readonly repeatable?: boolean } = {}): Promise<void> {
    const { watch } = this.#setup;
    const target = this.#oneOf(targets);
    const n = this.#setup.next();
    const before = await this.#resets(subject);
    if (before === undefined) return;
    const repeatable = options.repeatable ?? this.#random() < 0.8;
    const begun = moment();
    const call = subject.sandbox.call<unknown>(target, { args: [n], repeatable });
    const result = await watch.settled(`${target} of ${subject.id}`, call);
    if (result === undefined) return;
    if (result.status === "rejected") {
      watch.note("call", "rejected");
      if (!subject.isGone) watch.objectTo(subject, `a call was rejected: ${String(result.reason)}`);
      return;
    }
    await this.#judge(subject, result.value, { begun, resets: before, n, repeatable });
  }

  async #judge(subject: Subject, outcome: Outcome, call: Called): Promise<void> {
    const { watch } = this.#setup;
    watch.note("call", outcome.ok ? "ok" : outcome.error.kind);
    if (outcome.ok) return this.#judgeValue(subject, outcome.value, call);
    const { kind, message } = outcome.error;
    const isEnd = kind === "cancelled" || kind === "not-running";
    const isFine =
      (isEnd && subject.isGone) ||
      (kind === "cancelled" && subject.hasMet(call.begun, "restart")) ||
      (kind === "cell-lost" && !call.repeatable);
    if (!isFine) watch.objectTo(subject, `a call ended as ${kind}: ${message}`);
  }

  async #judgeValue(subject: Subject, value: unknown, { begun, resets, n }: Called): Promise<void> {
    const { watch } = this.#setup;
    const [own, tag, count, got] = value as readonly number[];
    if (own !== subject.own || got !== n || tag === undefined || count === undefined)
      return watch.objectTo(subject, `it answered ${JSON.stringify(value)} to ${n}`);
    const resetsNow = (await this.#resets(subject)) ?? Infinity;
    const objection = subject.objectionTo({ begun, tag, count, resets }, resetsNow);
    if (objection !== undefined) watch.objectTo(subject, objection);
  }

  // How often it was rebuilt or restarted, by its own info; undefined when it no longer exists.
  async #resets(subject: Subject): Promise<number | undefined> {
    if (subject.isGone) return undefined;
    const result = await this.#setup.watch.settled(`info of ${subject.id}`, subject.sandbox.info());
    return result?.status === "fulfilled" ? resetsOf(result.value) : undefined;
  }

  async #step(): Promise<void> {
    const { living, least, most } = this.#setup;
    const subject = this.#oneOf(living);
    const chance = this.#random();
    if (subject === undefined || living.length < least) return this.#create();
    if (chance < 0.55) return this.call(subject);
    if (chance < 0.6) return this.#callTwice(subject);
    if (chance < 0.74) return this.#reload(subject);
    if (chance < 0.8) return this.#suspend(subject);
    if (chance < 0.86) return this.#limit(subject);
    if (chance < 0.9) return this.#restart(subject);
    if (chance < 0.94) return this.#destroy(subject);
    if (living.length >= most) return this.#destroy(subject);
    return chance < 0.97 ? this.#create() : this.#copy(subject);
  }

  // Two at a time to one sandbox, from one caller.
  async #callTwice(subject: Subject): Promise<void> {
    await Promise.all([this.call(subject), this.call(subject)]);
  }

  async #create(): Promise<void> {
    const { runtime, watch, next } = this.#setup;
    const [own, tag] = [next(), next()];
    const id = `mixed-${own}`;
    // Some share isolates.
    const placement = { dense: own % 3 === 0 };
    const creation = runtime.create(id, { modules: modulesOf(own, tag), placement });
    const isGivenUp = this.#random() < 0.15;
    const end = isGivenUp ? runtime.destroy(id) : undefined;
    const result = await watch.settled(`create of ${id}`, creation);
    if (end !== undefined) await this.#endEarly(id, end);
    if (result === undefined) return;
    const isMade = result.status === "fulfilled";
    watch.note("create", isMade ? "ok" : String((result.reason as { code?: string }).code));
    if (!isMade && !isGivenUp) watch.fault(`${id}: was not created: ${String(result.reason)}`);
    if (isMade && !isGivenUp) this.#welcome(result.value, own, tag);
  }

  async #endEarly(id: string, end: Promise<void>): Promise<void> {
    const { runtime, watch } = this.#setup;
    const ended = await watch.settled(`destroy of ${id} while it is created`, end);
    if (ended?.status === "rejected") watch.fault(`${id}: could not be given up: ${String(ended.reason)}`);
    const has = await watch.settled(`has ${id}`, runtime.has(id));
    if (has?.status === "fulfilled" && has.value) watch.fault(`${id}: is there though it was destroyed`);
  }

  #welcome(sandbox: Sandbox, own: number, tag: number): void {
    this.#setup.living.push(new Subject(sandbox, own, tag));
  }

  async #reload(subject: Subject): Promise<void> {
    const { watch, next } = this.#setup;
    const tag = next();
    const { extra, options, expected } = this.#oneOf(reloads) ?? { extra: "", options: {}, expected: [] };
    const { begun, end } = subject.reload(tag);
    const promise = subject.sandbox.hotReload({ main: mainOf(subject.own, tag, extra) }, options);
    const report = await watch.attempt({
      what: "reload",
      subject,
      begun,
      promise,
      expected,
      onRefused: end,
    });
    if (report !== undefined) end();
  }

  async #suspend(subject: Subject): Promise<void> {
    const { watch } = this.#setup;
    if (subject.isSuspended) return;
    subject.isSuspended = true;
    const { begun, end } = subject.change("suspension");
    await watch.attempt({ what: "suspend", subject, begun, promise: subject.sandbox.suspend() });
    await sleep(this.#random() * 20);
    await watch.attempt({ what: "resume", subject, begun, promise: subject.sandbox.resume() });
    end();
    subject.isSuspended = false;
  }

  async #limit(subject: Subject): Promise<void> {
    const isMemory = this.#random() < 0.5;
    const limits = isMemory
      ? { memoryBytes: (4 + Math.floor(this.#random() * 8)) * 16 * MiB }
      : { timeoutMs: 20_000 + Math.floor(this.#random() * 10_000) };
    await this.#change(subject, isMemory ? "memory" : "limits", () => subject.sandbox.updateLimits(limits));
  }

  #restart(subject: Subject): Promise<void> {
    return this.#change(subject, "restart", () => subject.sandbox.restart());
  }

  async #change(subject: Subject, what: string, act: () => Promise<unknown>): Promise<void> {
    const { begun, end } = subject.change(what);
    await this.#setup.watch.attempt({ what, subject, begun, promise: act() });
    end();
  }

  async #destroy(subject: Subject): Promise<void> {
    const { living, gone, least } = this.#setup;
    const at = living.indexOf(subject);
    if (at === -1 || living.length <= least) return;
    living.splice(at, 1);
    await this.#change(subject, "destroy", () => subject.sandbox.destroy());
    gone.push(subject);
  }

  // Another one with the same code, by export and import.
  async #copy(subject: Subject): Promise<void> {
    const { runtime, watch, next } = this.#setup;
    const promise = subject.sandbox.export();
    const individual = await watch.attempt({ what: "export", subject, begun: moment(), promise });
    if (individual === undefined) return;
    const head = individual.revisions.at(-1)?.heads["main"];
    const source = individual.modules["main"]?.find(({ version }) => version === head)?.source ?? "";
    const id = `mixed-${next()}`;
    const result = await watch.settled(`import of ${id}`, runtime.import(individual, { id }));
    if (result === undefined) return;
    watch.note("import", result.status === "fulfilled" ? "ok" : "refused");
    if (result.status === "fulfilled")
      this.#welcome(result.value, subject.own, Number(numberIn(source, "tag")));
    else watch.fault(`${id}: was not imported: ${String(result.reason)}`);
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}

interface Called {
  readonly begun: Moment;
  readonly resets: number;
  readonly n: number;
  readonly repeatable: boolean;
}

// How a reload goes: mostly well.
const fine = { extra: "", options: {}, expected: [] as string[] };
const reloads = [
  fine,
  fine,
  fine,
  fine,
  fine,
  { ...fine, extra: "await new Promise((resolve) => setTimeout(resolve, 5));" },
  { ...fine, options: { verify: () => true } },
  { ...fine, options: { verify: () => false }, expected: ["VERIFY_FAILED"] },
  { ...fine, extra: "throw new RangeError('top');", expected: ["LOAD_FAILED"] },
  { ...fine, extra: "const = ;", expected: ["PARSE_FAILED"] },
];
