// Tests in Node's own vm, for what isolated-vm lacks: V8's modules with `import()`, `import.meta` and JSON.
import { dirname, join, normalize } from "node:path";
import {
  createContext,
  runInContext,
  Script,
  SourceTextModule,
  SyntheticModule,
  type Context,
  type Module,
} from "node:vm";
import type { Case } from "./case.ts";
import type { Phase } from "./frontmatter.ts";
import type { Ending } from "./verdict.ts";
import { waitFor } from "./waiting.ts";

const timeout = 20_000;
const turnsMax = 1_000;

export async function evaluateWithNode(test: Case): Promise<Ending> {
  const printed: string[] = [];
  let phase: Phase = "runtime";
  const context = createContext({ print: (text: unknown) => void printed.push(String(text)) });
  try {
    new Script(test.harness).runInContext(context);
    phase = "parse";
    const modules = new Modules(test, context);
    const main = modules.load(test.path);
    phase = "resolution";
    await modules.link(main);
    phase = "runtime";
    await waitFor(main.evaluate({ timeout }), timeout);
    for (let turn = 0; test.isAsync && printed.length === 0 && turn < turnsMax; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    return { kind: "done", report: printed[0] };
  } catch (error) {
    const { name, constructor, message } = error as Error;
    return { kind: "failed", phase, type: name ?? constructor.name, message };
  }
}

class Modules {
  readonly #test: Case;
  readonly #context: Context;
  readonly #known = new Map<string, Module>();
  constructor(test: Case, context: Context) {
    this.#test = test;
    this.#context = context;
  }

  // One graph at a time: two that overlap cannot be linked at once.
  #linking: Promise<unknown> = Promise.resolve();

  async link(module: Module): Promise<void> {
    const linked = this.#linking.then(() =>
      module.status === "unlinked" ? module.link(this.#resolve) : undefined,
    );
    this.#linking = linked.catch(() => {});
    await linked;
  }

  load(name: string, type?: string): Module {
    const key = `${type}:${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const module = this.#make(name, type);
    this.#known.set(key, module);
    return module;
  }

  readonly #resolve = (
    specifier: string,
    referrer: Module,
    { attributes }: { attributes: Readonly<Partial<Record<string, string>>> },
  ): Module => this.load(nameFrom(referrer.identifier, specifier), attributes["type"]);

  async #importLater(name: string, type: string | undefined): Promise<Module> {
    const module = this.load(name, type);
    await this.link(module);
    if (module.status === "errored") throw module.error;
    await module.evaluate({ timeout });
    return module;
  }

  #make(identifier: string, type: string | undefined): Module {
    const source = this.#test.sources[identifier];
    const context = this.#context;
    if (source === undefined) throw new TypeError(`no module ${identifier}`);
    if (type === "json") {
      const value: unknown = runInContext(`JSON.parse(${JSON.stringify(source)})`, context);
      const fill = function (this: SyntheticModule): void {
        this.setExport("default", value);
      };
      return new SyntheticModule(["default"], fill, { identifier, context });
    }
    return new SourceTextModule(source, {
      identifier,
      context,
      initializeImportMeta: (meta) => void (meta["url"] = `file:///${identifier}`),
      importModuleDynamically: (specifier, referrer, attributes) =>
        this.#importLater(nameFrom((referrer as Module).identifier, specifier), attributes["type"]),
    });
  }
}

function nameFrom(importer: string, specifier: string): string {
  return normalize(join(dirname(importer), specifier));
}
