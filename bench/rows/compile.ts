// TypeScript in, a loadable module out: new to the cache, and known to it.
import { stripTypeScriptTypes } from "node:module";
import type { Runtime } from "vivarium";
import { fiftyLines } from "../fifty-lines.ts";
import { timed } from "../measure.ts";
import { ours, type Row } from "../row.ts";
import { createRuntime, startRuntime } from "../subject.ts";
import { atMost } from "../target.ts";

let made = 0;
const unseen = (): string => `${fiftyLines}// ${++made}`;

function compile(runtime: Runtime, source: string): Promise<number> {
  return timed(() => runtime.compile.source(source, { name: "sack.ts" }));
}

export const compileRows: readonly Row[] = [
  {
    name: "compile 50 lines, first",
    about: "the first compile.source of a runtime, when its compiler process has just been started",
    unit: "ms",
    rounds: 5,
    targets: [],
    prepare() {
      return Promise.resolve([
        {
          name: ours,
          async sample() {
            await using runtime = await createRuntime();
            return await compile(runtime, unseen());
          },
        },
      ]);
    },
  },
  {
    name: "compile 50 lines, cold",
    about: "compile.source of a new source, the round trip to the compiler process",
    unit: "ms",
    rounds: 100,
    targets: [atMost("floor", 100, { text: "≤ 100 ms" }), atMost("aim", 2, { text: "≤ 2 ms" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      return [
        { name: ours, sample: () => compile(runtime, unseen()) },
        {
          name: "type stripping only, in this process",
          sample: () => timed(() => Promise.resolve(stripTypeScriptTypes(unseen()))),
        },
      ];
    },
  },
  {
    name: "compile 50 lines, cached",
    about: "compile.source of a source that the cache has",
    unit: "ms",
    rounds: 500,
    targets: [atMost("floor", 10, { text: "≤ 10 ms" }), atMost("aim", 0.05, { text: "≤ 0.05 ms" })],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      await compile(runtime, fiftyLines);
      return [{ name: ours, sample: () => compile(runtime, fiftyLines) }];
    },
  },
];
