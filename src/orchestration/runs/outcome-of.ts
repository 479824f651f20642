// Pure: a cell's report on a run → the outcome that its caller gets. A guest's own answer is believed only about the guest.
import { StackMapper } from "../../code/stacks/guest-stack.ts";
import { answerTags } from "../../model/runs/answer-tags.ts";
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { shippedMark, shippedNameOf } from "../../execution/protocol/shipped-code.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import { pathMax, thrownMax } from "../../model/runs/thrown-bounds.ts";
import { readAtOnce, readInSlices } from "../../model/wire/slices.ts";
import { slicingFor } from "../../std/slicing.ts";
import { workOwnerOf, type SandboxView } from "../sandbox-view.ts";
import { shippedBefore, type ShippedTerms } from "./known-code.ts";
import { usageOf } from "./run-usage.ts";
import { cut, listOf, thrownOf, type ArtifactOf } from "./thrown-of.ts";
import type { RunTicket } from "./ticket.ts";

/** The outcome of a run that a cell reported on. */
export function outcomeOf(ticket: RunTicket, item: DoneItem): Outcome {
  const usage = usageOf(ticket, item);
  const { logs } = ticket;
  const ended =
    item.verdict === "answered" ? endedBy(ticket, item.answer) : { failure: verdictFailure(ticket, item) };
  return "failure" in ended
    ? { ok: false, error: ended.failure, usage, logs }
    : { ok: true, value: ended.value, usage, logs };
}

type Ended = { readonly value: unknown } | { readonly failure: GuestFailure };

/** What an answer of the guest comes to. */
export function endedBy(ticket: RunTicket, answer: number | string): Ended {
  if (typeof answer === "number") return { value: answer };
  const { sandbox, terms } = ticket;
  switch (answer[0]) {
    case answerTags.missing:
      return { failure: missingFailure(sandbox, terms, listOf(answer)[0]) };
    case answerTags.refused:
      return { failure: refusedFailure(listOf(answer), sandbox.limits.resultBytes) };
    case answerTags.never:
      return { failure: neverFailure(ticket) };
    case answerTags.unanswered:
      return { failure: unansweredFailure(sandbox, listOf(answer)) };
    case answerTags.denied:
      return { failure: deniedFailure(answer) };
    case answerTags.processLimit:
      return { failure: processLimitFailure(sandbox) };
    case answerTags.thrown:
      return { failure: thrownFailure(sandbox, answer, terms) };
    default:
      return valueOf(ticket, answer);
  }
}

function valueOf(ticket: RunTicket, answer: string): Ended {
  const { sandbox, read } = ticket;
  const { resultBytes } = sandbox.limits;
  // The guest's own runtime refuses it; this is for cells that do not.
  if (answer.length > resultBytes) return { failure: refusedFailure(["size"], resultBytes) };
  const ended = read ?? readAtOnce(answer, resultBytes, stacksIn(ticket, answer));
  if ("value" in ended) return ended;
  return {
    failure: {
      kind: "unserializable",
      message: `Cannot read the result as it must be data: ${ended.malformed.message}`,
    },
  };
}

// Maps the stacks of errors in a value, where it has any.
function stacksIn({ sandbox, terms }: RunTicket, answer: string): ((stack: string) => string) | undefined {
  if (!answer.startsWith("V") || !answer.includes(errorTag)) return undefined;
  const mapper = new StackMapper(artifactsOf(sandbox, terms));
  return (stack) => mapper.map(stack);
}

/** How an error begins in a table. */
const errorTag = '["e",';

/** An answer that is shorter is read at once. */
export const lengthToSlice = 16_384;

/** Reads a long value in slices and enters it in its ticket. Undefined where there is nothing left to wait for. */
export function readAhead(ticket: RunTicket, { op, verdict, answer }: DoneItem): Promise<void> | undefined {
  const { resultBytes } = ticket.sandbox.limits;
  if (verdict !== "answered" || typeof answer !== "string") return undefined;
  if (answer.length < lengthToSlice || answer.length > resultBytes || isTagged(answer)) return undefined;
  // The run may have begun again elsewhere meanwhile, or have ended without its answer.
  const isWanted = (): boolean => ticket.op === op && !ticket.isSettled;
  const read = readInSlices(answer, resultBytes, {
    ...slicingFor(workOwnerOf(ticket.sandbox), isWanted),
    stackOf: stacksIn(ticket, answer),
  });
  if (!(read instanceof Promise)) {
    ticket.read = read;
    return undefined;
  }
  return read.then((later) => {
    if (isWanted()) ticket.read = later;
  });
}

const isTagged = (answer: string): boolean => Object.values(answerTags).some((tag) => tag === answer[0]);

function missingFailure(
  sandbox: SandboxView,
  target: { readonly module: string; readonly export: string },
  type: unknown,
): GuestFailure {
  const names = [...sandbox.modules.keys()];
  const module = sandbox.modules.get(target.module);
  // The guest gave the word: it counts where it is one of those that there are.
  const value = typeof type === "string" && Object.hasOwn(typeWords, type) ? typeWords[type] : undefined;
  if (value !== undefined && module?.exports.includes(target.export) === true) {
    const rule = `it must be a function: it is ${value}`;
    return {
      kind: "not-found",
      message: `Cannot call "${target.export}" of module "${target.module}" as ${rule}`,
    };
  }
  const message =
    module === undefined
      ? `Cannot find module "${target.module}": the sandbox has ${listed(names)}`
      : `Cannot find function "${target.export}" in module "${target.module}": it exports ${listed(module.exports)}`;
  return { kind: "not-found", message };
}

/** How a message names a type of a value. */
const typeWords: Readonly<Record<string, string>> = {
  undefined: "undefined",
  null: "null",
  boolean: "a boolean",
  number: "a number",
  bigint: "a bigint",
  string: "a text",
  symbol: "a symbol",
  object: "an object",
};

function listed(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  return names
    .slice(0, 20)
    .map((name) => cut(name, thrownMax.name))
    .join(", ");
}

function refusedFailure([reason, path, what]: readonly unknown[], resultBytes: number): GuestFailure {
  if (reason === "size") {
    const message = `Cannot return the result as it must be at most resultBytes, ${resultBytes}: it is longer`;
    return { kind: "output-limit", limit: "resultBytes", message };
  }
  const isGenerator = path === "" && (what === "a generator" || what === "an async generator");
  const advice = isGenerator ? ": sandbox.stream() reads what it yields" : "";
  const is = `result${cut(path, pathMax)} is ${cut(what, pathMax)}`;
  return {
    kind: "unserializable",
    message: `Cannot return the result as it must be data: ${is}${advice}`,
  };
}

function deniedFailure(answer: string): GuestFailure {
  const [, message] = listOf(answer);
  return { kind: "denied", message: cut(message, thrownMax.message) };
}

export function processLimitFailure({ limits }: SandboxView): GuestFailure {
  const message = `Cannot have more processes than the limit, ${limits.processes}`;
  return { kind: "process-limit", limit: "processes", message };
}

// The process that was asked does not exist, ended, or its mailbox overflowed.
function unansweredFailure(sandbox: SandboxView, parts: readonly unknown[]): GuestFailure {
  const [reason, text, ...described] = parts;
  const message = cut(text, thrownMax.message);
  const { stepMs, messageQueue } = sandbox.limits;
  switch (reason) {
    case "noproc":
      return { kind: "not-found", message };
    case "overflow":
      return {
        kind: "queue-overflow",
        limit: "messageQueue",
        message: `${message} (messageQueue is ${messageQueue})`,
      };
    case "processes":
      return processLimitFailure(sandbox);
    case "cut":
      return {
        kind: "timeout",
        limit: "stepMs",
        message: `${message} (its step took longer than stepMs, ${stepMs})`,
      };
    case "crashed": {
      const thrown = thrownOf(described, artifactsOf(sandbox));
      return { kind: "crashed", message, thrown };
    }
    default:
      return { kind: "crashed", message };
  }
}

function neverFailure(ticket: RunTicket): GuestFailure {
  const message =
    "Cannot wait for the result as it must be able to settle: its promise has nothing left to wait for";
  return {
    kind: "timeout",
    limit: "timeoutMs",
    message: `${message} (deadline ${ticket.terms.timeoutMs} ms)`,
  };
}

/** The compiled modules and scripts that stacks of a sandbox name. */
export const artifactsOf =
  (sandbox: Pick<SandboxView, "modules">, { shipped, script }: ShippedTerms = {}): ArtifactOf =>
  (module) => {
    if (!module.startsWith(shippedMark)) return sandbox.modules.get(module);
    if (shipped !== undefined && module === shippedNameOf(shipped, script)) return shipped;
    return script?.find(module.slice(shippedMark.length)) ?? shippedBefore(sandbox, module);
  };

/** What a guest threw, its stack in the lines of its own source. */
export function thrownFailure(sandbox: SandboxView, answer: string, terms: ShippedTerms = {}): GuestFailure {
  const { shipped, script } = terms;
  const thrown = thrownOf(listOf(answer), artifactsOf(sandbox, terms));
  const { name, message } = thrown;
  const isShipped = shipped !== undefined && script === undefined;
  const hint = name === "ReferenceError" ? hintOf(message, sandbox, isShipped) : "";
  return { kind: "crashed", message: `${name}: ${message}${hint}`, thrown };
}

// What to write instead, where a name is not defined. The guest may have made the error itself: it is told nothing but what is in
// its own options.
function hintOf(message: string, { grants }: SandboxView, isShipped: boolean): string {
  if (isShipped)
    return " (a function given to run() travels as source: it sees its arguments and the sandbox's modules, not the variables around it)";
  const name = /^(.+) is not defined$/.exec(message)?.[1];
  return name !== undefined && grants.grants.has(name)
    ? ` (it is a capability and must be imported: import { ${name} } from "vivarium/capabilities")`
    : "";
}

function verdictFailure(ticket: RunTicket, item: DoneItem): GuestFailure {
  const { limits } = ticket.sandbox;
  const { cpuMs } = ticket.terms;
  switch (item.verdict) {
    case "timeout":
      return timeoutFailure(ticket, item);
    case "cpu":
      return {
        kind: "cpu",
        limit: "cpuMs",
        message:
          cpuMs === null
            ? "Cannot finish as another run of the sandbox must stay within its cpuMs: it did not"
            : `Cannot finish within cpuMs, ${cpuMs}: it used ${Math.round(item.cpuUs / 1_000)}`,
      };
    case "cpu-share":
      return {
        kind: "cpu",
        limit: "cpuPercent",
        message: `Cannot use more than cpuPercent, ${limits.cpuPercent}, of one core over a second`,
      };
    case "fuel":
      return {
        kind: "fuel",
        limit: "fuel",
        message: `Cannot use more fuel than it was granted, ${ticket.terms.fuel}`,
      };
    case "memory":
      return memoryFailure(limits.memoryBytes);
    case "output":
      return {
        kind: "output-limit",
        limit: "outputBytes",
        message: `Cannot write more than outputBytes, ${limits.outputBytes}, to the console`,
      };
    default:
      return { kind: "cancelled", reason: "signal", message: "Cannot finish as the run was cancelled" };
  }
}

/** A run that took this share of its time counts as having used all of it, as clocks are not exact. */
const wholeShare = 0.98;

// A process has `stepMs` to take a message, and `timeoutMs` to answer it.
function timeoutFailure({ terms, sandbox }: RunTicket, item: DoneItem): GuestFailure {
  const { timeoutMs, tell } = terms;
  const { stepMs } = sandbox.limits;
  const isStep = tell !== undefined && stepMs < timeoutMs && item.wallUs / 1_000 < timeoutMs * wholeShare;
  const [limit, ms] = isStep ? (["stepMs", stepMs] as const) : (["timeoutMs", timeoutMs] as const);
  return { kind: "timeout", limit, message: `Cannot finish within ${limit}, ${ms}: it was still running` };
}

export function memoryFailure(memoryBytes: number): GuestFailure {
  return {
    kind: "memory",
    limit: "memoryBytes",
    message: `Cannot use more memory than memoryBytes, ${memoryBytes}`,
  };
}
