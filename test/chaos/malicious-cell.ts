// A malicious program in place of a cell: the module that a run names decides which false message it sends. Loads are
// answered correctly. Started by malicious-cell.test.ts instead of the cell host.
import type { Command, DoneItem, RunGroup } from "../../src/execution/protocol/messages.ts";
import { clearEntry, mainSlot, writeEntry } from "../../src/execution/slate.ts";
import { toFrame } from "../../src/std/frames.ts";
import { answered } from "../support/answered.ts";
import { page, pipe, showPage, stand } from "../support/cell-double.ts";

interface Run {
  readonly op: number;
  readonly key: number;
}

const nowUs = (): number => Math.round(performance.now() * 1_000);

const item = (op: number, more: Partial<DoneItem> = {}): DoneItem =>
  answered(op, { startedUs: nowUs(), ...more });
const say = (message: unknown): void => void pipe.write(toFrame(message));
const done = (...items: unknown[]): void => say({ t: "done", quick: [], items, heaps: [], states: [] });
const bytes = (header: number, body: string | Buffer): void => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(header, 0);
  pipe.write(Buffer.concat([head, Buffer.from(body)]));
};
const announce = (entry: Partial<Parameters<typeof writeEntry>[1]>): void => {
  writeEntry(page, { slot: 0, op: 1, key: 1, startedMs: 0, budgetMs: 0, ...entry });
  showPage();
};
const keys = Array.from({ length: 64 }, (_, index) => index + 1);
const machineMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};

/** Every false message by the name of the module that asks for it. */
const falseMessages: Readonly<Record<string, (run: Run) => void>> = {
  honest: ({ op }) => done(item(op)),
  "not-json": () => bytes(7, "garbage"),
  oversized: () => bytes(0xffff_ffff, "x"),
  truncated: () => {
    bytes(1_000, '{"t":"done"');
    pipe.end(() => process.exit(0));
  },
  "unknown-type": () => say({ t: "surprise" }),
  "type-is-object": () => say({ t: { toString: 1, valueOf: 1 } }),
  "type-is-list": ({ op }) => say({ t: ["done"], quick: [], items: [item(op)], heaps: [], states: [] }),
  "type-is-proto": () => say({ t: "__proto__" }),
  "not-an-object": () => say([1, 2, 3]),
  "missing-fields": ({ op }) => done({ op }),
  "negative-numbers": ({ op }) => done(item(op, { startedUs: -1, wallUs: -5 })),
  "not-a-number": ({ op }) =>
    bytes(...framed(JSON.stringify(item(op)).replace('"wallUs":1', '"wallUs":null'))),
  "infinite-number": ({ op }) =>
    bytes(...framed(JSON.stringify(item(op)).replace('"wallUs":1', '"wallUs":1e999'))),
  "fractional-op": ({ op }) => done(item(op + 0.5)),
  "huge-numbers": ({ op }) =>
    done(item(op, { startedUs: 1e300, wallUs: 1e300, cpuUs: 1e300, outputBytes: 1e300 })),
  "odd-quick": ({ op }) => say({ t: "done", quick: [op, 42, 1], items: [], heaps: [], states: [] }),
  doubled: ({ op }) =>
    done(item(op), item(op, { answer: 666 }), item(op, { verdict: "timeout", isLost: true })),
  "wrong-operations": ({ op }) => {
    for (let other = op - 200; other < op + 200; other++)
      if (other > 0 && other !== op) done(item(other, { answer: 666 }));
    done(item(op));
  },
  "foreign-logs": ({ op }) => {
    for (const key of keys) say({ t: "log", key, op: 0, lines: [[1, "forged"]] });
    done(item(op));
  },
  "foreign-heaps": ({ op }) => {
    const heaps = keys.map((key) => ({
      key,
      heapBytes: 666,
      heapPeakBytes: 6e15,
      externalBytes: 666,
      processes: 0,
      processesMax: 0,
      queueMax: 0,
      isolate: 1,
      sandboxes: 1,
    }));
    say({ t: "done", quick: [], items: [item(op)], heaps, states: [] });
  },
  "foreign-background": ({ op, key: own }) => {
    for (const key of [...keys, ...keys, ...keys, ...keys])
      if (key !== own) say({ t: "background", key, verdict: "timeout", isLost: true });
    done(item(op));
  },
  "log-flood": ({ op, key }) => {
    for (let i = 0; i < 40; i++) say({ t: "log", key, op, lines: [[1, "x".repeat(100_000)]] });
    done(item(op));
  },
  "log-level": ({ op, key }) => say({ t: "log", key, op, lines: [[99, "x"]] }),
  "ready-twice": () => say({ t: "ready", node: "v0", slate: "written", tether: "signal", layers: [] }),
  poisoned: () => say({ t: "poisoned", why: "so I say" }),
  "always-sliced": ({ op }) => done(item(op, { verdict: "sliced", isLost: true })),
  "always-gone": ({ op }) => done(item(op, { verdict: "gone" })),
  "always-lost": ({ op }) => done(item(op, { isLost: true })),
  "always-cancelled": ({ op }) => done(item(op, { verdict: "cancelled" })),
  "pending-forever": ({ op }) => say({ t: "pending", op, startedUs: 1e300 }),
  "pending-since-ever": ({ op }) => say({ t: "pending", op, startedUs: 0 }),
  "waiting-forever": ({ op }) => say({ t: "waiting", op }),
  "answer-before-pending": ({ op }) => {
    done(item(op));
    say({ t: "pending", op, startedUs: nowUs() });
  },
  "value-not-data": ({ op }) => done(item(op, { answer: "not json" })),
  "value-broken-table": ({ op }) => done(item(op, { answer: 'V[0,["m",[1]]]' })),
  "value-no-root": ({ op }) => done(item(op, { answer: "V[]" })),
  "value-empty": ({ op }) => done(item(op, { answer: "" })),
  "value-over-limit": ({ op }) => done(item(op, { answer: JSON.stringify("x".repeat(3e6)) })),
  "value-deep": ({ op }) => done(item(op, { answer: "[".repeat(4e5) + "]".repeat(4e5) })),
  "value-proto": ({ op }) => done(item(op, { answer: '{"__proto__":{"polluted":true},"constructor":1}' })),
  "value-regexp": ({ op }) => done(item(op, { answer: 'V[0,["r","(","g"]]' })),
  "error-not-a-list": ({ op }) => done(item(op, { answer: "T{}" })),
  "error-long-stack": ({ op }) => {
    const stack = "at vivarium:error-long-stack:1:1 ".repeat(60_000);
    done(item(op, { answer: `T${JSON.stringify(["Error", "x".repeat(1e6), stack])}` }));
  },
  "never-answers": () => {},
  "slate-future": ({ op, key }) => announce({ op, key, startedMs: machineMs() + 1e9, budgetMs: 50 }),
  "slate-huge-budget": ({ op, key }) => announce({ op, key, startedMs: machineMs(), budgetMs: 1e300 }),
  "slate-garbage": () => {
    page.fill(Number.NaN);
    showPage();
  },
  "slate-other-key": ({ op }) => announce({ op, key: 1, startedMs: 0, budgetMs: 1 }),
};

function framed(inner: string): [number, string] {
  const text = `{"t":"done","quick":[],"items":[${inner}],"heaps":[],"states":[]}`;
  return [Buffer.byteLength(text), text];
}

function obey(command: Command): void {
  if (command.t === "load") done(item(command.op, { answer: "V[-1]" }));
  if (command.t === "sample") done(item(command.op));
  if (command.t !== "run") return;
  for (const group of command.groups)
    for (const [index, key] of group.keys.entries()) sendFalse(group, group.op + index, key);
}

// Reports the beginning of the run as a cell does: what began and may not be repeated is lost with its cell.
function sendFalse(group: RunGroup, op: number, key: number): void {
  announce({ op, key });
  clearEntry(page, mainSlot);
  showPage();
  (falseMessages[group.module] ?? falseMessages["honest"])?.({ op, key });
}

stand(obey, (globalThis as { firstWords?: unknown[] }).firstWords);
