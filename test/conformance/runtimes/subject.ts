// What the suite about runtimes is given: one that is to be tried, and the one in this process that does its work.
import { after, before } from "node:test";
import type { Runtime, RuntimeOptions } from "../../../src/index.ts";

export interface Subject extends AsyncDisposable {
  /** The one that is tried. */
  readonly runtime: Runtime;
  /** What is behind it; of a local runtime, that itself. */
  readonly host: Runtime;
}

export type StartSubject = (options: RuntimeOptions) => Promise<Subject>;

/** The runtime of one test file, as soon as its tests run. */
export interface Tried {
  readonly runtime: Runtime;
  readonly host: Runtime;
}

/** What the guests of the suite may ask for, and the limits of their runtime. */
const options: RuntimeOptions = {
  cells: { count: 1, spare: 0, warm: 2 },
  limits: { timeoutMs: 10_000 },
  capabilities: {
    double: ([given]) => Number(given) * 2,
    fails: () => {
      throw new TypeError("the secret of the host");
    },
  },
};

export function tried(start: StartSubject): Tried {
  let subject: Subject | undefined;
  const open = (): Subject => {
    if (subject === undefined) throw new Error("the tests have not begun");
    return subject;
  };
  before(async () => {
    subject = await start(options);
  });
  after(() => subject?.[Symbol.asyncDispose]());
  return {
    get runtime() {
      return open().runtime;
    },
    get host() {
      return open().host;
    },
  };
}

let last = 0;

/** An id that no other test of the process uses. */
export const newId = (): string => `tried-${++last}`;
