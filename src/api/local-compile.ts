// Compilation as the runtime offers it: artifacts for later use, and what the compiler has to say.
import type { Artifact } from "../code/artifact.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { InvalidOptionsError, LoadError } from "../model/errors.ts";
import { parseModuleName } from "../model/ids.ts";
import { resolveLimits } from "../model/limits.ts";
import { show } from "../model/show.ts";
import type { Engine } from "./engine.ts";
import { readFields } from "./options.ts";
import type { Compile, CompileOptions } from "./runtime.ts";

const usualName = "module";

export class LocalCompile implements Compile {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async source(source: string, options?: CompileOptions): Promise<Artifact> {
    this.#engine.checkOpen("compile");
    const given = readFields(options, "options", ["name", "limits"]);
    if (typeof source !== "string") {
      throw new InvalidOptionsError(
        `Cannot compile as the source must be a text: got ${show(source)}`,
        "source",
      );
    }
    const limits = given["limits"] as CompileOptions["limits"];
    const { compileMs, sourceBytes } = resolveLimits(this.#engine.parts.config.limits, limits);
    const name = given["name"] === undefined ? usualName : parseModuleName(given["name"]);
    return this.#engine.compile({ name, source, compileMs, sourceBytes, isMetered: false });
  }

  async check(source: string, options?: CompileOptions): Promise<readonly Diagnostic[]> {
    try {
      return (await this.source(source, options)).warnings;
    } catch (error) {
      if (error instanceof LoadError && error.diagnostics.length > 0) return error.diagnostics;
      throw error;
    }
  }
}
