// What the compiler knows of calls into a sandbox.
import {
  CancelledError,
  type Batch,
  type BatchEvaluation,
  type BatchOutcome,
  type CancelOptions,
  type Kept,
  type ModuleProxy,
  type Outcome,
  type Runtime,
  type Sandbox,
  type SandboxSpec,
  type SandboxStream,
} from "vivarium";
import type { Equal, Expect } from "./expect.ts";

interface Variant {
  readonly name: string;
  readonly score: (n: number, weight?: number) => number;
  readonly slow: (text: string) => Promise<string>;
}

declare const runtime: Runtime;
declare const sandbox: Sandbox;
declare const variant: ModuleProxy<Variant>;

export async function calls(): Promise<void> {
  void ((await sandbox.call("main.score")) satisfies Outcome);
  void ((await sandbox.call<number>("main.score", { args: [1], timeoutMs: 5 })) satisfies Outcome<number>);
  // @ts-expect-error a target is "module.export"
  void sandbox.call("score");
  // @ts-expect-error there is no such option
  void sandbox.call("main.score", { timeout: 5 });
  void ((await variant.score(1)) satisfies Outcome<number>);
  void ((await variant.slow("x")) satisfies Outcome<string>);
  // @ts-expect-error arguments are checked
  void variant.score("1");
  // @ts-expect-error what is no function cannot be called
  void variant.name;
}

export async function bounded(options: CancelOptions): Promise<void> {
  void (options satisfies { readonly signal?: AbortSignal; readonly deadlineMs?: number });
  const spec = { modules: { main: "" }, ...options } satisfies SandboxSpec;
  void ((await runtime.create(spec)) satisfies Sandbox);
  void ((await runtime.fork("a", { id: "b", ...options })) satisfies Sandbox);
  await Promise.all([sandbox.suspend(options), sandbox.resume({ deadlineMs: 5 }), sandbox.destroy(options)]);
  await sandbox.updateLimits({ timeoutMs: 5 }, options);
  await sandbox.hotReload({ main: "" }, { dryRun: true, ...options });
  await runtime.documents.write("rows", new Map(), options);
  await runtime.data?.backup("folder", options);
  await runtime.close(options);
  void (new CancelledError("it", "it was") satisfies { readonly deadlineMs: number | null });
  // @ts-expect-error a bound of the whole is deadlineMs
  void sandbox.suspend({ timeoutMs: 5 });
  // @ts-expect-error what answers from memory has none
  void sandbox.info({ deadlineMs: 5 });
}

export async function streamed(): Promise<void> {
  const stream = sandbox.stream<string>("main.tell", { args: [1], partsMax: 5, idleMs: 1 });
  void (stream satisfies SandboxStream<string> & AsyncIterable<string> & AsyncDisposable);
  for await (const part of stream) void (part satisfies string);
  for await (const part of sandbox.stream("main.tell")) {
    // @ts-expect-error without a type argument nothing is known of it
    void (part satisfies string);
  }
  // @ts-expect-error a part cannot be produced twice
  void sandbox.stream("main.tell", { repeatable: true });
}

export async function shipped(): Promise<void> {
  const ran = await sandbox.run((_, n: number, text: string) => ({ n, text }), { args: [1, "x"] });
  void (ran satisfies Outcome<{ n: number; text: string }>);
  // @ts-expect-error the arguments are those of the function
  void sandbox.run((_, n: number) => n, { args: ["x"] });
  const awaited = await sandbox.run(async () => 1);
  const script = await sandbox.run<number>("1 + args[0]", { args: [1] });
  if (script.ok) void (script.value satisfies number);
  // @ts-expect-error a script is a text, and a function no number
  void sandbox.run(5);
  void (awaited satisfies Outcome<number>);
}

export async function made(): Promise<void> {
  void ((await runtime.create({ modules: { main: "" } })) satisfies Sandbox);
  void ((await runtime.create("id", { modules: { main: "" }, limits: { timeoutMs: 1 } })) satisfies Sandbox);
  // @ts-expect-error a spec is needed
  void runtime.create("id");
  // @ts-expect-error there is no such limit
  void runtime.create({ modules: { main: "" }, limits: { timeout: 1 } });
  // @ts-expect-error a limit that is never off cannot be null
  void runtime.create({ modules: { main: "" }, limits: { timeoutMs: null } });
  void runtime.create({ modules: { main: "" }, limits: { cpuMs: null } });
  const batch = runtime.batch.call<number>(["a"], "main.score", { args: (id, index) => [id, index] });
  void (batch satisfies Batch<BatchOutcome<number>>);
  for await (const outcome of batch) void (outcome satisfies BatchOutcome<number>);
  void (batch.catch(() => "refused") satisfies Promise<BatchOutcome<number>[] | string>);
  void (batch.finally(() => {}) satisfies Promise<BatchOutcome<number>[]>);
}

export async function generations(): Promise<void> {
  const spec = { id: "a", modules: { main: "" } };
  const fitness = (): number => 1;
  void (runtime.batch.evaluate(["a"], fitness) satisfies Batch<BatchEvaluation>);
  // @ts-expect-error where no sandbox is made, none is kept
  void ((await runtime.batch.evaluate(["a"], fitness))[0]?.kept satisfies boolean | undefined);
  const mixed = runtime.batch.evaluate([spec, "b"], fitness, { keep: 2 });
  void (mixed satisfies Batch<BatchEvaluation & Kept>);
  void runtime.batch.evaluate([spec], fitness, { keep: { best: 2, direction: "minimise" } });
  void runtime.batch.evaluate([spec], fitness, { keep: (result) => result.ok && result.score > 1 });
  // @ts-expect-error a keep function answers at once
  void runtime.batch.evaluate([spec], fitness, { keep: async () => true });
  // @ts-expect-error a spec has no such option
  void runtime.batch.evaluate([{ module: "" }], fitness);
  const called = runtime.batch.call<number>([spec], "main.score", { keep: (outcome) => outcome.ok });
  void (called satisfies Batch<BatchOutcome<number> & Kept>);
  // @ts-expect-error the outcomes of calls have no order
  void runtime.batch.call([spec], "main.score", { keep: 2 });
  const ran = runtime.batch.run([spec], (_, n: number) => n, { args: [1], keep: () => true });
  void (ran satisfies Batch<BatchOutcome<number> & Kept>);
}

export type Checks = [
  Expect<Equal<keyof ModuleProxy<Variant>, "score" | "slow">>,
  Expect<Equal<ReturnType<ModuleProxy<Variant>["slow"]>, Promise<Outcome<string>>>>,
  Expect<Equal<Parameters<ModuleProxy<Variant>["score"]>, [n: number, weight?: number | undefined]>>,
  Expect<Equal<Awaited<Batch<number>>, number[]>>,
];
