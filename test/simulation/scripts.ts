// Operations that run scripts: alone, and one after the other in a session that is ended in every way.
import type { Session } from "../../src/api/types/session.ts";
import type { ScriptOutcome } from "../../src/api/types/session.ts";
import type { Caller } from "./caller.ts";
import { linesOf } from "./fake-scripts.ts";
import { brokenSource, type ScriptProgram } from "./program.ts";
import { boundOf, chooseExport, judge, optionsFor } from "./runs.ts";
import { scriptToken } from "./script-book.ts";
import { limits } from "./world.ts";

const createMs = 30_000;
const destroyMs = 8_000;
/** However long it takes, with all that happens to it. */
const sessionMs = 900_000;

function sourceFor(caller: Caller, token: string): { readonly source: string; readonly does: string } {
  const { dice } = caller;
  const does = chooseExport(caller);
  const script: ScriptProgram = { kind: "script", token, does, ms: dice.pick([0, 5, 30, 200, 700, 1_500]) };
  return { source: dice.chance(0.05) ? brokenSource : JSON.stringify(script), does };
}

export async function script(caller: Caller): Promise<void> {
  const { world, dice } = caller;
  const id = caller.id();
  const isOnce = dice.chance(0.4);
  const token = caller.token("script");
  const { source, does } = sourceFor(caller, token);
  const options = { ...optionsFor(caller, token), args: [token] };
  const sandbox = isOnce ? undefined : await caller.handle(id);
  if (sandbox === undefined && !isOnce) return;
  const fromMs = world.clock.nowMs;
  const boundMs = boundOf(caller, options.timeoutMs) + limits.compileMs + (isOnce ? createMs + 20_000 : 0);
  const ended = await world.attempt(`script ${isOnce ? "once" : id} ${token}`, boundMs, () =>
    isOnce ? caller.runtime?.once(source, options) : sandbox?.run(source, options),
  );
  if (ended.as !== "value" || ended.value === undefined) return;
  if (!isOnce) return judge(caller, { id, name: does, token, fromMs, isRepeatable: false }, ended.value);
  if (ended.value.ok) checkToken(caller, { token, does }, ended.value.value);
}

interface Given {
  readonly token: string;
  readonly does: string;
}

function checkToken(caller: Caller, { token, does }: Given, value: unknown): void {
  const isOwn = does === "score" ? value === 7 : Array.isArray(value) && value[0] === token;
  if (!isOwn) caller.world.ledger.blame("value", `${token} gave ${JSON.stringify(value)}`);
}

/** Opens a session, gives it scripts, does something to its sandbox meanwhile, and closes it. */
export async function session(caller: Caller): Promise<void> {
  await caller.world.attempt(`session of ${caller.next()}`, sessionMs, () => live(caller));
}

async function live(caller: Caller): Promise<void> {
  const { world, dice } = caller;
  // Others may use the same id at the same time.
  const id = dice.chance(0.6) ? `n${dice.between(0, 1)}` : `n${caller.next()}`;
  const name = caller.token("session");
  const program = caller.program(`${id}#${caller.next()}`, { isServer: false, ticks: false });
  const isClosed = { now: false };
  const onOutput = ({ text }: { readonly text: string }): void => {
    if (isClosed.now || !text.startsWith(`${name}/`))
      world.ledger.blame("heard", `${name} hears "${text}"${isClosed.now ? " after it was closed" : ""}`);
  };
  const spec = {
    id,
    onOutput,
    ...(dice.chance(0.5) ? { modules: { main: caller.source(program) } } : {}),
    ...caller.signal(),
  };
  const opened = await world.attempt(`open ${name} as ${id}`, createMs, () => caller.runtime?.session(spec));
  if (opened.as !== "value" || opened.value === undefined) return;
  world.scripts.open(name);
  const own = opened.value;
  const { runtime } = world;
  const trouble = meddle(caller, own);
  await give(caller, name, own);
  await trouble;
  if (world.runtime !== runtime) return;
  const closed = await world.attempt(`close ${name}`, destroyMs * 2, () => own.close());
  if (closed.as === "value") isClosed.now = true;
}

// What others may do to its sandbox meanwhile.
async function meddle(caller: Caller, { id, sandbox }: Session): Promise<void> {
  const { world, dice, runtime } = caller;
  const ways: Readonly<Record<string, () => PromiseLike<unknown> | undefined>> = {
    restart: () => sandbox.restart(),
    suspend: () => sandbox.suspend(),
    resume: () => sandbox.resume(),
    destroy: () => runtime?.destroy(id),
    "batch.destroy": () => runtime?.batch.destroy([id]),
    "own destroy": () => sandbox.destroy(),
  };
  const count = dice.pick([0, 0, 1, 2]);
  for (let i = 0; i < count; i++) {
    await world.clock.sleep(dice.between(0, dice.pick([20, 500, 3_000])));
    const way = dice.pick(Object.keys(ways));
    if (caller.runtime !== runtime) return;
    await world.attempt(`${way} ${id}`, createMs, () => ways[way]?.());
  }
}

async function give(caller: Caller, name: string, own: Session): Promise<void> {
  const { dice, runtime } = caller;
  const follow = new Following(caller, name);
  const count = dice.between(1, 6);
  const given: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const ended = giveOne(caller, own, { index, follow, name, runtime });
    given.push(ended);
    if (dice.chance(0.3)) await ended;
  }
  await Promise.all(given);
}

async function giveOne(
  caller: Caller,
  own: Session,
  at: {
    readonly index: number;
    readonly name: string;
    readonly follow: Following;
    readonly runtime: Caller["runtime"];
  },
): Promise<void> {
  const { world } = caller;
  const { index, name, follow } = at;
  // Its machine may have stopped meanwhile.
  if (caller.runtime !== at.runtime) return;
  const token = scriptToken(name, index);
  const { source, does } = sourceFor(caller, token);
  const options = { ...optionsFor(caller, token), args: [token] };
  const boundMs = (index + 1) * (boundOf(caller, limits.timeoutMsMax) + limits.compileMs);
  const ended = await world.attempt(`run ${token}`, boundMs, () => own.run(source, options));
  world.scripts.end(name, index);
  if (ended.as === "value") follow.check(index, does, ended.value);
}

/** The outcomes of a session's scripts, in their order. */
class Following {
  readonly #caller: Caller;
  readonly #name: string;
  /** The isolate of the last script that ended well. */
  #instance: unknown;
  #isFresh = false;

  constructor(caller: Caller, name: string) {
    this.#caller = caller;
    this.#name = name;
  }

  check(index: number, does: string, outcome: ScriptOutcome): void {
    const { ledger } = this.#caller.world;
    const token = scriptToken(this.#name, index);
    const { script: named, output, fresh } = outcome;
    if (named !== `script-${index + 1}`) ledger.blame("value", `${token} is named ${named}`);
    this.#checkOutput(
      token,
      outcome,
      output.map(({ text }) => text),
    );
    this.#isFresh ||= fresh;
    if (!outcome.ok) return;
    checkToken(this.#caller, { token, does }, outcome.value);
    if (!Array.isArray(outcome.value)) return;
    const instance: unknown = outcome.value[2];
    const isAnother = this.#instance !== undefined && instance !== this.#instance;
    if (isAnother && !this.#isFresh)
      ledger.blame("fresh", `${token} ran in another isolate, and does not say so`);
    if (!isAnother && this.#isFresh && this.#instance !== undefined)
      ledger.blame("fresh", `${token} ran in the isolate of the one before, and says that it did not`);
    this.#instance = instance;
    this.#isFresh = false;
  }

  #checkOutput(token: string, { ok, logs }: ScriptOutcome, lines: readonly string[]): void {
    // What a cell says twice is written twice.
    if (this.#caller.world.trouble.names.has("lies")) return;
    const expected = linesOf(token);
    const isWhole = lines.length === expected.length || !ok || expected.length > logs.length;
    if (!isWhole || lines.some((line, index) => line !== expected[index]))
      this.#caller.world.ledger.blame("output", `${token} has the lines ${JSON.stringify(lines)}`);
  }
}
