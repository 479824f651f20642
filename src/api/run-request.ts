// A caller's wish for a run, checked and completed into a request.
import type { Artifact } from "../code/artifact.ts";
import { InvalidOptionsError, VivariumError } from "../model/errors.ts";
import { parseTarget, type Target } from "../model/ids.ts";
import { resolveCallLimits, type Limits } from "../model/limits.ts";
import { show } from "../model/show.ts";
import { encode, Refusal } from "../model/wire/encode.ts";
import type { RunRequest } from "../orchestration/ticket.ts";
import { readBoolean, readFields, type Fields } from "./options.ts";

const runNames = ["timeoutMs", "cpuMs", "signal", "repeatable", "args"];
const noArgs = encode([], 64);

export function readRunFields(options: unknown): Fields {
  return readFields(options, "options", runNames);
}

/** What a run is aimed at: an export, or a function whose source travels with it. */
export type Aim = Target | { readonly shipped: Artifact; readonly code: string };

export function aimAt(target: unknown): Target {
  return parseTarget(target);
}

export interface RequestContext {
  readonly limits: Limits;
  readonly waitMs: number;
}

/** The request that a sandbox with these limits admits; throws for what it does not. */
export function toRequest(aim: Aim, fields: Fields, context: RequestContext): RunRequest {
  const { limits, waitMs } = context;
  const bounds = resolveCallLimits(limits, { timeoutMs: fields["timeoutMs"] as number | undefined, cpuMs: fields["cpuMs"] as number | undefined });
  const isRepeatable = fields["repeatable"] === undefined ? false : readBoolean(fields, { path: "options", name: "repeatable" }, false);
  const args = encodeArgs(fields["args"], limits.argsBytes);
  const common = { args, timeoutMs: bounds.timeoutMs, cpuMs: bounds.cpuMs, isRepeatable, waitMs };
  return "shipped" in aim ? { ...common, module: "", export: "", code: aim.code, shipped: aim.shipped } : { ...common, module: aim.module, export: aim.export };
}

/** The text of a list of arguments; throws `UNSERIALIZABLE` for what is not data. */
export function encodeArgs(args: unknown, bytesMax: number): string {
  if (args === undefined) return noArgs;
  if (!Array.isArray(args)) throw new InvalidOptionsError(`Cannot use args as they must be a list: got ${show(args)}`, "args");
  try {
    return encode(args, bytesMax);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.reason === "size") {
      throw new InvalidOptionsError(`Cannot pass the arguments as they must be at most argsBytes, ${bytesMax}: they are longer`, "args");
    }
    throw new VivariumError("UNSERIALIZABLE", `Cannot pass args${error.path} as it must be data: it is ${error.what}`);
  }
}

const nativeBody = /\{\s*\[native code\]\s*\}$/;
const expressionStart = /^(?:async\s*)?(?:function\b|\(|[A-Za-z_$][\w$]*\s*=>)/;

/** The source of a module whose default export is this function. */
export function functionSource(fn: unknown): string {
  const text = typeof fn === "function" ? Function.prototype.toString.call(fn) : "";
  if (text === "" || text.startsWith("class") || nativeBody.test(text)) {
    throw new InvalidOptionsError(`Cannot ship the function as it must be one written in JavaScript: got ${show(fn)}`, "fn");
  }
  // A method's source stands only inside an object.
  return expressionStart.test(text) ? `export default (${text});` : `export default Object.values({${text}})[0];`;
}

/** A compiled function module as one expression that evaluates to the function. */
export function asExpression(shipped: Artifact): string {
  const refuse = `()=>{throw new ReferenceError("a function given to run() cannot import")}`;
  return `(()=>{const e={},i=${refuse};(${shipped.code})(e,i,async()=>i(),i,{});return e.default})()`;
}
