// Arguments of runs as text, or why they are none. Callers of a runtime that is elsewhere encode them too.
import { InvalidOptionsError, VivariumError } from "../errors.ts";
import { show } from "../show.ts";
import { encode, Refusal } from "../wire/encode.ts";

/** The text of a list of arguments; throws as `toWireArgs`. */
export function encodeArgs(args: unknown = [], bytesMax: number): string {
  if (!Array.isArray(args)) {
    throw new InvalidOptionsError(`Cannot use args as they must be a list: got ${show(args)}`, "args");
  }
  return encodeValue(args, bytesMax);
}

/** The text of a value on its way into a sandbox; throws `UNSERIALIZABLE` for what is not data. */
export function encodeValue(value: unknown, bytesMax: number): string {
  try {
    return encode(value, bytesMax);
  } catch (error) {
    // A getter of the caller's own, for instance.
    if (!(error instanceof Refusal)) {
      const message = `Cannot pass args as it must be possible to read them: ${reasonOf(error)}`;
      throw new VivariumError("UNSERIALIZABLE", message, error);
    }
    if (error.reason === "size") {
      const rule = `they must be at most argsBytes, ${bytesMax}: they are longer`;
      throw new InvalidOptionsError(`Cannot pass the arguments as ${rule}`, "args");
    }
    const message = `Cannot pass args${error.path} as it must be data: it is ${error.what}`;
    throw new VivariumError("UNSERIALIZABLE", message);
  }
}

/** What a foreign error says, in short. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : `got ${show(error)}`;
}
