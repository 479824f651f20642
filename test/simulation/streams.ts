// Operations that read streams: part by part, several at once, with pauses, and with every way to end.
import type { SandboxStream, StreamOptions } from "../../src/api/types/sandbox.ts";
import { GuestFailedError } from "../../src/model/errors.ts";
import type { GuestFailure } from "../../src/model/runs/outcome.ts";
import type { Caller } from "./caller.ts";
import { boundOf } from "./runs.ts";
import type { Ended } from "./world.ts";

/** However long it takes, with all that happens to its sandbox. */
const streamMs = 900_000;
/** Timers that are due at the same moment fire one after the other. */
const slackMs = 2;

type Bounds = Required<Pick<StreamOptions, "timeoutMs" | "deadlineMs" | "idleMs" | "partsMax">>;
type Part = IteratorResult<unknown, unknown>;

export async function stream(caller: Caller): Promise<void> {
  const id = caller.id();
  const sandbox = await caller.handle(id);
  if (sandbox === undefined) return;
  const { dice, world } = caller;
  const token = caller.token("stream");
  const bounds: Bounds = {
    timeoutMs: dice.pick([300, 1_000]),
    deadlineMs: dice.pick([300, 3_000, 60_000]),
    idleMs: dice.pick([50, 500, 60_000]),
    partsMax: dice.pick([2, 100, 100]),
  };
  const args = [token, dice.pick([0, 0, 5, 200, 1_500]), dice.pick([0, 3, 50])];
  const options = { args, ...bounds, ...caller.signal() };
  const reader = new Reader(caller, sandbox.stream("main.parts", options), { id, token, bounds });
  await world.attempt(`stream ${id} ${token}`, streamMs, () => read(caller, reader, bounds));
}

async function read(caller: Caller, reader: Reader, { idleMs }: Bounds): Promise<void> {
  const { dice, world } = caller;
  const rounds = dice.between(1, 8);
  for (let round = 0; round < rounds && reader.isReading; round++) {
    const width = dice.pick([1, 1, 1, 3]);
    const asked = Array.from({ length: width }, () => reader.next());
    // It may be ended while parts are asked for.
    if (dice.chance(0.05)) asked.push(reader.return());
    await Promise.all(asked);
    if (!reader.isReading) break;
    await world.clock.sleep(dice.pick([0, 0, 5, 80, Math.min(idleMs, 1_000) + 30]));
  }
  if (reader.isReading && dice.chance(0.6)) await reader.return();
  // Whoever asks after the end, or for a part that nobody asked for in time.
  if (reader.isReading) await world.clock.sleep(Math.min(idleMs, 2_000) + 30);
  if (dice.chance(0.5)) await reader.next();
}

/** A stream, and what its caller was told of it. */
class Reader {
  readonly #caller: Caller;
  readonly #stream: SandboxStream;
  readonly #token: string;
  readonly #id: string;
  readonly #bounds: Bounds;
  readonly #runtime: Caller["runtime"];
  #parts = 0;
  #instance: unknown;
  #waiting = 0;
  #fromMs: number | undefined;
  /** Since when nobody asked. */
  #quietMs: number | undefined;
  #isReturned = false;
  #isOver = false;

  constructor(
    caller: Caller,
    stream: SandboxStream,
    about: { readonly id: string; readonly token: string; readonly bounds: Bounds },
  ) {
    this.#caller = caller;
    this.#stream = stream;
    this.#token = about.token;
    this.#id = about.id;
    this.#bounds = about.bounds;
    this.#runtime = caller.runtime;
  }

  /** It goes on, and so does the runtime that it is of. */
  get isReading(): boolean {
    return !this.#isOver && this.#caller.runtime === this.#runtime;
  }

  async next(): Promise<void> {
    const { world } = this.#caller;
    if (this.#caller.runtime !== this.#runtime) return;
    const nowMs = world.clock.nowMs;
    const wasOver = this.#isOver;
    this.#fromMs ??= nowMs;
    const pausedMs = this.#waiting === 0 && this.#quietMs !== undefined ? nowMs - this.#quietMs : 0;
    if (!wasOver) world.streams.ask(this.#token);
    const ended = await this.#asking("next", () => this.#stream.next());
    if (ended.as === "lost") return;
    if (ended.as === "error") return this.#failed(ended.error, { wasOver, pausedMs });
    this.#judge(ended.value, { wasOver, pausedMs });
  }

  async return(): Promise<void> {
    if (this.#caller.runtime !== this.#runtime) return;
    this.#isReturned = true;
    const ended = await this.#asking("return", () => this.#stream.return(this.#token));
    if (ended.as === "value" && (ended.value.done !== true || ended.value.value !== this.#token))
      this.#blame("value", `return() gave ${JSON.stringify(ended.value)}`);
    if (ended.as !== "lost") this.#end();
  }

  async #asking(name: string, act: () => Promise<Part>): Promise<Ended<Part>> {
    const { world } = this.#caller;
    const boundMs = boundOf(this.#caller, this.#bounds.timeoutMs) * (++this.#waiting + 1);
    const ended = await world.attempt(`${name} of ${this.#token}`, boundMs, act);
    this.#waiting--;
    this.#quietMs = world.clock.nowMs;
    return ended;
  }

  #judge(
    { done, value }: Part,
    { wasOver, pausedMs }: { readonly wasOver: boolean; readonly pausedMs: number },
  ): void {
    if (done === true) {
      if (wasOver && value !== undefined)
        this.#blame("value", `after its end it gave ${JSON.stringify(value)}`);
      return this.#end();
    }
    if (this.#isOver) this.#blame("after-end", `it gave ${JSON.stringify(value)} after its end`);
    const [token, at, instance] = Array.isArray(value) ? (value as readonly unknown[]) : [];
    if (token !== this.#token || at !== this.#parts)
      this.#blame("parts", `part ${this.#parts} is ${JSON.stringify(value)}`);
    this.#instance ??= instance;
    if (instance !== this.#instance) this.#blame("parts", `part ${this.#parts} comes from another isolate`);
    this.#parts++;
    this.#checkBounds(pausedMs);
  }

  #checkBounds(pausedMs: number): void {
    const { partsMax, idleMs, deadlineMs } = this.#bounds;
    const lastedMs = this.#caller.world.clock.nowMs - (this.#fromMs ?? 0);
    if (this.#parts > partsMax) this.#blame("bounds", `it gave ${this.#parts} parts of ${partsMax}`);
    if (pausedMs > idleMs + slackMs)
      this.#blame("bounds", `it went on after ${pausedMs} ms, idleMs ${idleMs}`);
    if (lastedMs > deadlineMs + slackMs)
      this.#blame("bounds", `it gave a part after ${lastedMs} ms, deadlineMs ${deadlineMs}`);
  }

  #failed(error: Error, { wasOver, pausedMs }: { wasOver: boolean; pausedMs: number }): void {
    const isClosed = "code" in error && error.code === "RUNTIME_CLOSED";
    if (error instanceof GuestFailedError) this.#checkFailure(error.failure, pausedMs);
    else if (!isClosed) this.#blame("stream", `it rejects with ${error.message}`);
    if (wasOver) this.#blame("after-end", `after its end it rejects with ${error.message}`);
    this.#end();
  }

  #checkFailure({ kind, reason, message }: GuestFailure, pausedMs: number): void {
    if (kind !== "cancelled") return;
    const { deadlineMs, idleMs } = this.#bounds;
    const lastedMs = this.#caller.world.clock.nowMs - (this.#fromMs ?? 0);
    if (reason === undefined) this.#blame("bounds", `it is cancelled without a reason: ${message}`);
    if (reason === "deadline" && lastedMs < deadlineMs)
      this.#blame("impatient", `it ended by its deadline after ${lastedMs} of ${deadlineMs} ms`);
    if (reason === "idle" && pausedMs < idleMs)
      this.#blame("impatient", `it ended as idle after ${pausedMs} of ${idleMs} ms`);
    const isLate = lastedMs > deadlineMs + slackMs && !this.#isReturned && pausedMs === 0;
    if (isLate) this.#blame("bounds", `it ended after ${lastedMs} ms, deadlineMs ${deadlineMs}: ${message}`);
  }

  #end(): void {
    this.#isOver = true;
    this.#caller.world.streams.end(this.#token);
  }

  #blame(rule: string, what: string): void {
    this.#caller.world.ledger.blame(rule, `${this.#token} on ${this.#id}: ${what}`);
  }
}
