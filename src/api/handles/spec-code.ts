// The code of a sandbox that is to be created, before there is a sandbox: read from files, or compiled ahead.
import { LoadError } from "../../model/errors.ts";
import { compileEach, type Compile } from "../../orchestration/code/build.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Engine } from "../wiring/engine.ts";
import { readModulesFrom } from "../wiring/module-files.ts";

/** What a plan is completed with: its code, or what is wrong with it. */
export type KnownCode = Partial<Pick<SandboxPlan, "code" | "tree" | "loadError">>;

/** Reads the files of a plan. What they say belongs to the sandbox, even where it is no program. */
export function readFiles({ parts }: Engine, path: string, plan: SandboxPlan): Promise<KnownCode> {
  return orLoadError(async () => {
    const tree = await readModulesFrom(path, plan, parts);
    return { tree, code: tree.modules };
  });
}

/** Compiles the modules of a plan. */
export function compileAhead({ parts }: Engine, plan: SandboxPlan): Promise<KnownCode> {
  const { code } = plan;
  return orLoadError(async () => {
    if ("versions" in code) return {};
    const compile: Compile = (request) => parts.cache.compile(request);
    return { code: await compileEach(code, plan, { compile, packages: parts.packages }) };
  });
}

async function orLoadError(act: () => Promise<KnownCode>): Promise<KnownCode> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof LoadError) return { loadError: error };
    throw error;
  }
}
