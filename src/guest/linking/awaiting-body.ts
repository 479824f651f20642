// The body of a module or a script with a top-level await, from its beginning to its end.
import { asyncGeneratorNext, generatorNext, generatorThrow } from "../../model/wire/intrinsics.ts";
import type { Body, ModuleRecord } from "./records.ts";

export const awaitsItself = ({ links }: ModuleRecord): boolean => links[5] === "async generator";

/**
 * Goes on with a body whose functions are declared; its value. A top-level await is a `yield` in it, but for an asynchronous
 * one, which awaits by itself. `enter` is called before each step, and throws where it must not go on.
 */
export async function drive(
  record: ModuleRecord,
  running: ReturnType<Body>,
  enter?: (record: ModuleRecord) => void,
): Promise<unknown> {
  enter?.(record);
  if (awaitsItself(record)) return (await asyncGeneratorNext(running)).value;
  let step = generatorNext(running);
  while (step.done !== true) {
    let sent: unknown;
    let isThrown = false;
    try {
      sent = await step.value;
    } catch (error) {
      sent = error;
      isThrown = true;
    }
    enter?.(record);
    step = isThrown ? generatorThrow(running, sent) : generatorNext(running, sent);
  }
  return step.value;
}
