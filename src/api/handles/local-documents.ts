// Rows of the caller's own in the runtime's store: checked, bounded, and refused once the runtime is closed.
import { InvalidOptionsError } from "../../model/errors.ts";
import { refuseOption } from "../../model/schema.ts";
import { MemoryStore } from "../../store/memory.ts";
import type { Documents } from "../../store/store.ts";
import { bounded, readCancel } from "../options/cancellation.ts";
import type { CancelOptions } from "../types/cancel.ts";
import type { RuntimeDocuments } from "../types/runtime.ts";
import { awaitMethods } from "../../std/keep-alive.ts";
import type { Engine } from "../wiring/engine.ts";
import { orStoreFailed } from "../wiring/store-failed.ts";

const nameLengthMax = 200;
/** How long all rows of one write may be together, as JSON. */
const bytesMax = 64 * 2 ** 20;
/** Collections of the runtime itself begin with this. */
const reserved = "vivarium.";

export class LocalDocuments implements RuntimeDocuments {
  readonly #engine: Engine;
  readonly #documents: Documents;

  constructor(engine: Engine) {
    this.#engine = engine;
    // A store without documents has them as long as the process lasts.
    this.#documents = engine.parts.config.store.documents ?? new MemoryStore().documents;
  }

  async read(
    collection: string,
    after = "",
    options?: CancelOptions,
  ): Promise<readonly (readonly [key: string, value: unknown])[]> {
    this.#engine.checkOpen("read documents");
    checkName(collection, "collection");
    if (after !== "") checkName(after, "after");
    return this.#within(options, `the reading of documents of "${collection}"`, () =>
      orStoreFailed(`read documents of "${collection}"`, () => this.#documents.read(collection, after)),
    );
  }

  async write(
    collection: string,
    rows: ReadonlyMap<string, unknown>,
    options?: CancelOptions,
  ): Promise<void> {
    this.#engine.checkOpen("write documents");
    checkName(collection, "collection");
    const checked = checkRows(rows);
    return this.#within(options, `the writing of documents of "${collection}"`, () =>
      orStoreFailed(`write documents of "${collection}"`, () => this.#documents.write(collection, checked)),
    );
  }

  // What was begun goes on where its caller gives up: the store may have it or not.
  async #within<T>(options: unknown, what: string, act: () => Promise<T>): Promise<T> {
    return bounded(readCancel(options), { clock: this.#engine.parts.config.clock, what }, act);
  }
}

function checkName(value: unknown, path: string): void {
  const isName = typeof value === "string" && value !== "" && value.length <= nameLengthMax;
  if (!isName || !value.isWellFormed())
    throw refuseOption({ verb: "use", path, rule: `a text of 1–${nameLengthMax} characters`, got: value });
  if (path === "collection" && value.startsWith(reserved))
    throw refuseOption({
      verb: "use",
      path,
      rule: `a name that does not begin with "${reserved}"`,
      got: value,
    });
}

// As they are at this moment: what the caller changes later is another matter.
function checkRows(rows: unknown): Map<string, unknown> {
  if (!(rows instanceof Map)) throw refuseOption({ verb: "use", path: "rows", rule: "a Map", got: rows });
  let bytes = 0;
  const checked = new Map<string, unknown>();
  for (const [key, value] of rows as Map<unknown, unknown>) {
    checkName(key, "key");
    const text = value === undefined ? undefined : toJson(key as string, value);
    bytes += text?.length ?? 0;
    if (bytes > bytesMax)
      throw refuseOption({
        verb: "use",
        path: "rows",
        rule: `at most ${bytesMax} bytes of JSON`,
        got: bytes,
      });
    checked.set(key as string, text === undefined ? undefined : (JSON.parse(text) as unknown));
  }
  return checked;
}

function toJson(key: string, value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return text;
  } catch {
    // It has cycles, or throws when it is read.
  }
  throw new InvalidOptionsError(
    `Cannot write document "${key}" as its value must be plain data that JSON can say: it is not`,
    "rows",
  );
}

awaitMethods(LocalDocuments.prototype);
