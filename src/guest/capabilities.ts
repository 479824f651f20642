// The module "vivarium/capabilities", whose exports are functions by name. Each call is a request to the host, answered in
// a later turn. Which names exist and are granted only the host knows.
import { decode } from "../model/wire/decode.ts";
import { encode, Refusal } from "../model/wire/encode.ts";
import { create, make, mapDelete, mapGet, mapSet, mapSize, slice } from "../model/wire/intrinsics.ts";
import type { Host } from "./host.ts";
import { defineBuiltin, type Namespace } from "./modules.ts";

interface Waiting {
  /** What the guest gets where there is no answer. */
  readonly failure: CapabilityError;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Ask = (...args: unknown[]) => Promise<unknown>;

const argsBytesMax = 2 ** 20;
/** No capability has a longer name; a longer one is cut, and denied by the host. */
const nameMax = 101;
const waiting = new Map<number, Waiting>();
const functions = new Map<string, Ask>();
let lastId = 0;

/** Why a request failed. */
export class CapabilityError extends Error {
  // Fields are defined, not assigned: no setter of the guest's sees an error before it is told.
  override readonly name = "CapabilityError";
  code: string;
  readonly capability: string;

  constructor(code: string, capability: string, message: string) {
    super(message);
    this.code = code;
    this.capability = capability;
  }
}

/** How many requests have no answer yet. */
export function requestsWaiting(): number {
  return mapSize(waiting);
}

/** From here on modules can import "vivarium/capabilities". */
export function defineCapabilities(request: Host["request"]): void {
  const traps = {
    __proto__: null,
    // `then` must stay missing, so that the module itself can be awaited.
    get: (_: unknown, name: unknown) =>
      typeof name === "string" && name !== "then" ? askHost(name, request) : undefined,
  };
  defineBuiltin(
    "vivarium/capabilities",
    new Proxy(create(null) as Namespace, traps as ProxyHandler<Namespace>),
    false,
  );
}

/** The host's answer: a value, or a code and the reason why there is none. */
export function answerRequest(id: number, code: string, text: string): void {
  const asked = mapGet(waiting, id) as Waiting | undefined;
  if (!mapDelete(waiting, id) || asked === undefined) return;
  if (code === "") asked.resolve(decode(text));
  else asked.reject(because(asked.failure, code, text));
}

/** The function of a capability, which asks the host. */
export function askHost(name: string, request: Host["request"]): Ask {
  const known = mapGet(functions, name) as Ask | undefined;
  if (known !== undefined) return known;
  const ask: Ask = (...args) =>
    new make.Promise((resolve, reject) => {
      const id = ++lastId;
      const refusal = request(id, slice(name, 0, nameMax), argsTextOf(name, args));
      // Made before it is known to be needed: only now are the guest's lines on the stack.
      const failure = new CapabilityError("denied", name, refusal);
      if (refusal === "") mapSet(waiting, id, { failure, resolve, reject });
      else reject(failure);
    });
  mapSet(functions, name, ask);
  return ask;
}

function because(failure: CapabilityError, code: string, message: string): CapabilityError {
  failure.code = code;
  failure.message = message;
  return failure;
}

function argsTextOf(name: string, args: unknown[]): string {
  try {
    return encode(args, argsBytesMax, "kept");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const why =
      error.reason === "size"
        ? `must be at most ${argsBytesMax} bytes: they are longer`
        : `must be data: args${error.path} is ${error.what}`;
    throw new CapabilityError("invalid", name, `Cannot use ${name} as its arguments ${why}`);
  }
}
