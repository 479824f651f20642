// Pure: what a cell tells of something that a guest threw → data for the caller, checked against its bounds.
import { StackMapper } from "../../code/stacks/guest-stack.ts";
import type { Thrown } from "../../model/runs/outcome.ts";
import { thrownMax, thrownMoreMax } from "../../model/runs/thrown-bounds.ts";
import { readAtOnce } from "../../model/wire/slices.ts";
import type { Mapped } from "./known-code.ts";

/** Gives the compiled module of a name in a stack. */
export type ArtifactOf = (module: string) => Mapped | undefined;

/** How long the JSON of a failure may be: a letter takes six there at most. */
const listLengthMax = 16 * (thrownMax.name + thrownMax.message + thrownMax.stack) + 6 * thrownMoreMax.length;

/** The list behind the tag of an answer. The guest made this text: it counts only where it is a list, and no longer than may be. */
export function listOf(answer: string): readonly unknown[] {
  if (answer.length > listLengthMax) return [];
  try {
    const list: unknown = JSON.parse(answer.slice(1));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** What a guest threw, its stacks in the lines of its own source. */
export function thrownOf(described: readonly unknown[], artifactOf: ArtifactOf): Thrown {
  const mapper = new StackMapper(artifactOf);
  return readThrown(described, mapper, 0);
}

function readThrown(described: readonly unknown[], mapper: StackMapper, depth: number): Thrown {
  const [name, message, stack, more] = described;
  const thrown = {
    name: cut(name ?? "Error", thrownMax.name),
    message: cut(message, thrownMax.message),
    stack: mapper.map(cut(stack, thrownMax.stack)),
  };
  if (!Array.isArray(more)) return thrown;
  const [properties, cause, errors, error, suppressed] = more as unknown[];
  const isDeeper = depth < thrownMoreMax.depth;
  const inside = (part: readonly unknown[]): Thrown => readThrown(part, mapper, depth + 1);
  const listed = isDeeper ? listsIn(errors).slice(0, thrownMoreMax.errors) : [];
  return {
    ...thrown,
    ...propertiesOf(properties),
    ...(isDeeper && Array.isArray(cause) ? { cause: inside(cause) } : {}),
    ...(listed.length > 0 ? { errors: listed.map(inside) } : {}),
    ...(isDeeper && Array.isArray(error) ? { error: inside(error) } : {}),
    ...(isDeeper && Array.isArray(suppressed) ? { suppressed: inside(suppressed) } : {}),
  };
}

function propertiesOf(value: unknown): Pick<Thrown, "properties" | "code"> {
  const properties: Record<string, unknown> = {};
  for (const [name, json] of listsIn(value).slice(0, thrownMoreMax.properties)) {
    if (typeof name !== "string" || name.length > thrownMoreMax.key || typeof json !== "string") continue;
    // A table is no JSON, and is not sent here.
    if (json.length > thrownMoreMax.propertyBytes || json.startsWith("V")) continue;
    const read = readAtOnce(json, thrownMoreMax.propertyBytes);
    // Defined, as a guest may name it `__proto__`.
    if ("value" in read)
      Object.defineProperty(properties, name, {
        value: read.value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
  if (Object.keys(properties).length === 0) return {};
  const code = Object.hasOwn(properties, "code") ? properties["code"] : undefined;
  return typeof code === "string" || typeof code === "number" ? { code, properties } : { properties };
}

const listsIn = (value: unknown): readonly (readonly unknown[])[] =>
  Array.isArray(value) ? value.filter((part): part is unknown[] => Array.isArray(part)) : [];

/** A text of the guest's, no longer than it may be; empty where it is none. */
export function cut(text: unknown, lengthMax: number): string {
  return typeof text === "string" ? text.slice(0, lengthMax) : "";
}
