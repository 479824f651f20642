// The compiler as users call it, without a sandbox.
import type { Artifact } from "../code/artifact.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { InvalidLimitsError, InvalidOptionsError, LoadError } from "../model/errors.ts";
import { parseModuleName } from "../model/ids.ts";
import { resolveLimits, type Limits } from "../model/limits.ts";
import { show } from "../model/show.ts";
import type { Engine } from "./engine.ts";
import { readFields } from "./options.ts";
import type { Compile, CompileOptions } from "./runtime.ts";

const compileLimits = ["compileMs", "sourceBytes"];

export class LocalCompile implements Compile {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async source(source: string, options?: CompileOptions): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    const given = readFields(options, "options", ["name", "limits"]);
    if (typeof source !== "string") {
      const message = `Cannot compile the source as it must be a text: got ${show(source)}`;
      throw new InvalidOptionsError(message, "source");
    }
    const { compileMs, sourceBytes } = this.#limits(given["limits"]);
    const name = given["name"] === undefined ? "module" : parseModuleName(given["name"]);
    return this.#engine.compile({ name, source, compileMs, sourceBytes });
  }

  async check(source: string, options?: CompileOptions): Promise<readonly Diagnostic[]> {
    try {
      return (await this.source(source, options)).warnings;
    } catch (error) {
      if (error instanceof LoadError && error.diagnostics.length > 0) return error.diagnostics;
      throw error;
    }
  }

  // Of all limits only those that bound a compilation.
  #limits(given: unknown): Limits {
    const limits = resolveLimits(this.#engine.parts.config.limits, given as Partial<Limits> | undefined);
    for (const name of Object.keys(given ?? {})) {
      if (compileLimits.includes(name)) continue;
      const message = `Cannot set limit ${show(name)} as it must be one of ${compileLimits.join(", ")}: got another one`;
      throw new InvalidLimitsError(message, name);
    }
    return limits;
  }
}
