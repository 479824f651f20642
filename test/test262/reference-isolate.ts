// Tests in a bare isolate of isolated-vm: V8's own modules and scripts.
import { dirname, join, normalize } from "node:path";
import ivm from "isolated-vm";
import type { Case } from "./case.ts";
import type { Phase } from "./frontmatter.ts";
import { waitFor } from "./waiting.ts";
import type { Ending } from "./verdict.ts";

const timeout = 20_000;
const memoryLimit = 512;
const testsPerIsolate = 100;
const turnsMax = 20;

export class IsolateReference {
  #isolate = new ivm.Isolate({ memoryLimit });
  #count = 0;

  /** Evaluates the test as a module; isolated-vm has no `import()`, no `import.meta` and no JSON modules. */
  async evaluateModule(test: Case): Promise<Ending> {
    let phase: Phase = "parse";
    return this.#evaluate(test, {
      phase: () => phase,
      act: async (isolate, context) => {
        const compiled = new Map<string, ivm.Module>();
        const names = new Map<ivm.Module, string>();
        const load = async (name: string): Promise<ivm.Module> => {
          const known = compiled.get(name);
          if (known !== undefined) return known;
          const source = test.sources[name];
          if (source === undefined || !name.endsWith(".js")) throw new SyntaxError(`no module ${name}`);
          const module = await isolate.compileModule(source, { filename: name });
          compiled.set(name, module);
          names.set(module, name);
          return module;
        };
        const main = await load(test.path);
        phase = "resolution";
        await main.instantiate(context, (specifier, referrer) =>
          load(normalize(join(dirname(names.get(referrer) as string), specifier))),
        );
        phase = "runtime";
        await main.evaluate({ timeout });
      },
    });
  }

  evaluateScript(test: Case): Promise<Ending> {
    let phase: Phase = "parse";
    return this.#evaluate(test, {
      phase: () => phase,
      act: async (isolate, context) => {
        const source = test.sources[test.path] as string;
        const isStrict = test.flags.includes("onlyStrict");
        const script = await isolate.compileScript(isStrict ? `"use strict";\n${source}` : source);
        phase = "runtime";
        await script.run(context, { timeout });
      },
    });
  }

  async #evaluate(
    { harness, isAsync }: Case,
    {
      act,
      phase,
    }: { act: (isolate: ivm.Isolate, context: ivm.Context) => Promise<void>; phase: () => Phase },
  ): Promise<Ending> {
    const isolate = this.#freshIsolate();
    const printed: string[] = [];
    try {
      using context = new Released(await isolate.createContext());
      const print = new ivm.Callback((text: unknown) => void printed.push(String(text)));
      await context.held.global.set("print", print);
      await context.held.eval(harness);
      await waitFor(act(isolate, context.held), timeout);
      // Each entry also runs what promises have left to do.
      for (let turns = isAsync ? turnsMax : 0; turns > 0 && printed.length === 0; turns--)
        await context.held.eval("0");
      return { kind: "done", report: printed[0] };
    } catch (error) {
      return { kind: "failed", phase: phase(), ...describe(error) };
    }
  }

  #freshIsolate(): ivm.Isolate {
    if (this.#isolate.isDisposed || this.#count++ >= testsPerIsolate) {
      if (!this.#isolate.isDisposed) this.#isolate.dispose();
      this.#isolate = new ivm.Isolate({ memoryLimit });
      this.#count = 0;
    }
    return this.#isolate;
  }
}

class Released implements Disposable {
  readonly held: ivm.Context;
  constructor(held: ivm.Context) {
    this.held = held;
  }
  [Symbol.dispose](): void {
    this.held.release();
  }
}

function describe(error: unknown): { readonly type: string; readonly message: string } {
  if (error instanceof Error) return { type: error.name, message: error.message };
  return { type: typeof error, message: String(error) };
}
