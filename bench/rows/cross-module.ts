// What it costs to use what another module exports: before and after that was reloaded, beside one module and plain Node.
import type { Runtime, Sandbox } from "vivarium";
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { ours, type Entrant, type Row } from "../row.ts";
import { startRuntime, unwrap } from "../subject.ts";
import { timesAtMost, type Target } from "../target.ts";

interface Program {
  /** What the others import. */
  readonly lib: string;
  /** Exports `kernel`. */
  readonly main: string;
  /** The same in one module. */
  readonly one: string;
  /** How many other modules import from the library, too. */
  readonly importers?: number;
}

const turns = 5_000_000;
const warmUpRuns = 10;
const rounds = 20;
const oneModule = `${ours}, one module`;
// Nothing is promised of writes, which may cost more with each module that imports the variable.
const targets: readonly Target[] = [timesAtMost("aim", 1.25, oneModule)];

/** A loop that adds up the value of an expression in `i`. */
const summing = (expression: string): string =>
  `export function kernel() { let sum = 0; for (let i = 0; i < ${turns}; i++) sum = (sum + ${expression}) | 0; return sum; }`;

const add = "function add(a, b) { return (a ^ b) + 1; }";
const point = "class Point { constructor(x) { this.x = x; } }";
const counting = `export function kernel() { for (let i = 0; i < ${turns}; i++) count = i; return count; }`;

/** In one module its own variable, which nobody imports. */
const writing = (importers: number): Program => ({
  lib: `export let count = 0; ${counting}`,
  main: `export { kernel } from "./lib.js";`,
  one: `let count = 0; ${counting}`,
  importers,
});

const programs: Readonly<Record<string, Program>> = {
  call: {
    lib: `export ${add}`,
    main: `import { add } from "./lib.js"; ${summing("add(sum, i)")}`,
    one: `${add} ${summing("add(sum, i)")}`,
  },
  "call by namespace": {
    lib: `export ${add}`,
    main: `import * as lib from "./lib.js"; ${summing("lib.add(sum, i)")}`,
    one: `${add} ${summing("add(sum, i)")}`,
  },
  constant: {
    lib: `export const step = 3;`,
    main: `import { step } from "./lib.js"; ${summing("(step ^ i)")}`,
    one: `const step = 3; ${summing("(step ^ i)")}`,
  },
  "new of a class": {
    lib: `export ${point}`,
    main: `import { Point } from "./lib.js"; ${summing("new Point(i).x")}`,
    one: `${point} ${summing("new Point(i).x")}`,
  },
  "write, 0 importers": writing(0),
  "write, 1 importer": writing(1),
  "write, 9 importers": writing(9),
};

const readers = (count: number): readonly (readonly [string, string])[] =>
  Array.from({ length: count }, (_, index) => [
    `reader${index}.js`,
    `import { count } from "./lib.js"; export const read${index} = () => count;`,
  ]);

function modulesOf({ main, lib, importers = 0 }: Program): Record<string, string> {
  return { "main.js": main, "lib.js": lib, ...Object.fromEntries(readers(importers)) };
}

async function kernel(sandbox: Sandbox): Promise<void> {
  unwrap(await sandbox.call("main.js.kernel"));
}

async function warm(run: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < warmUpRuns; i++) await run();
}

async function sandboxWith(runtime: Runtime, modules: Record<string, string>): Promise<Sandbox> {
  const sandbox = await runtime.create({ modules });
  await warm(() => kernel(sandbox));
  return sandbox;
}

/** Modules of Node have the source of what they import in the address. */
function asAddress(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function asOneSource({ main, lib, importers = 0 }: Program): string {
  const address = asAddress(lib);
  const others = readers(importers).map(
    ([, source]) => `import "${asAddress(source.replace("./lib.js", address))}";`,
  );
  return [...others, main.replace("./lib.js", address)].join("\n");
}

async function nodeEntrant(stack: AsyncDisposableStack, name: string, source: string): Promise<Entrant> {
  const node = stack.use(startPeer("plain-node.ts"));
  await node.ask("load", source);
  await warm(() => node.ask("run"));
  return { name, sample: () => node.ask("run") };
}

const rowOf = ([name, program]: readonly [string, Program]): Row => ({
  name: `modules: ${name}`,
  about: `${turns.toLocaleString("en-US")} times in a loop, of what another module exports, warm; beside the same in one module`,
  unit: "ms",
  rounds,
  targets: program.importers === undefined ? targets : [],
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const fresh = await sandboxWith(runtime, modulesOf(program));
    const reloaded = await sandboxWith(runtime, modulesOf(program));
    await reloaded.hotReload({ "lib.js": `${program.lib}\n` });
    await warm(() => kernel(reloaded));
    const one = await sandboxWith(runtime, { "main.js": program.one });
    return [
      { name: ours, sample: () => timed(() => kernel(fresh)) },
      { name: `${ours}, after a reload`, sample: () => timed(() => kernel(reloaded)) },
      { name: oneModule, sample: () => timed(() => kernel(one)) },
      await nodeEntrant(stack, "plain Node", asOneSource(program)),
      await nodeEntrant(stack, "plain Node, one module", program.one),
    ];
  },
});

export const crossModuleRows: readonly Row[] = Object.entries(programs).map(rowOf);
