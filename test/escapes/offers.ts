// The capabilities that attempts try to escape through. The same functions serve a real sandbox, and the weak host,
// which passes the guests' values to them unchecked.
import { inspect } from "node:util";
import type { CapabilityContext } from "../../src/index.ts";
import { reached } from "./programs/escape.ts";

export interface Offer {
  /** True, or what the list of arguments must be. */
  readonly args?: (args: unknown) => true | string;
  readonly timeoutMs?: number;
  run(this: Offer, args: readonly unknown[], context: Pick<CapabilityContext, "sandboxId">): unknown;
}

interface Order {
  readonly amount: number;
}

/** How often `scarce` may be used. */
export const scarceCalls = 3;

const amountMax = 10;
const restMsMax = 1_000;
const used = new Map<string, number>();
const page = { title: "a page", list: [1, 2], map: new Map([["a", new Date(0)]]) };
const isListed = (args: unknown): args is readonly unknown[] => Array.isArray(args);

export const offers: Readonly<Record<string, Offer>> = {
  echo: { run: ([value]) => value },
  kind: { run: (args) => (isListed(args) ? "" : `${reached} arguments that are no list`) },
  page: { run: () => page },
  pay: {
    args: (args) => {
      const [order] = JSON.parse(JSON.stringify(args)) as [Order];
      return order.amount <= amountMax || "a small amount";
    },
    run: ([order]) => ((order as Order).amount > amountMax ? `${reached} what was not checked` : ""),
  },
  open: {
    args: (args) => String((args as [unknown])[0]) === "public" || "public",
    run: ([name]) => (String(name) === "public" ? "" : `${reached} what was not checked`),
  },
  first: {
    args: (args) => (args as [Uint8Array])[0][0] === 0 || "bytes that begin with none",
    run: ([bytes]) => ((bytes as Uint8Array)[0] === 0 ? "" : `${reached} what was not checked`),
  },
  visit: { run: ([act]) => (typeof act === "function" ? (act(page) as unknown) : "") },
  wait: { run: async ([value]) => (await value, "") },
  show: { run: ([value]) => (inspect(value), "") },
  report: { run: ([error]) => String((error as Error).stack) },
  fail: {
    run() {
      throw new TypeError("a failure", { cause: new Error("its cause") });
    },
  },
  reject: { run: () => Promise.reject(new TypeError("a failure")) },
  mishap: { run: () => new Error("a mishap", { cause: new RangeError("its cause") }) },
  self: {
    run() {
      return this;
    },
  },
  rest: {
    timeoutMs: restMsMax,
    run([ms]) {
      const isLonger = (ms as number) > restMsMax && (ms as number) <= (this.timeoutMs ?? 0);
      return isLonger ? `${reached} more time than allowed` : "";
    },
  },
  scarce: {
    run(_, { sandboxId }) {
      const calls = (used.get(sandboxId) ?? 0) + 1;
      used.set(sandboxId, calls);
      return calls > scarceCalls ? `${reached} a call beyond the quota` : "";
    },
  },
};
