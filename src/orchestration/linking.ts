// Pure: whether the modules of a sandbox can be loaded together, in which order, and if not, why.
import type { Artifact } from "../code/artifact.ts";
import { planLinking } from "../code/module-graph.ts";

export type Linking =
  | { readonly ok: true; readonly order: readonly string[]; readonly codeLength: number }
  | { readonly ok: false; readonly message: string };

/** How much code one sandbox may have in all: it must fit into one frame, quoted. */
const codeLengthMax = 64 * 2 ** 20;
const shownMax = { imports: 5, modules: 20 };

export function link(modules: ReadonlyMap<string, Artifact>): Linking {
  const codeLength = [...modules.values()].reduce((sum, { code }) => sum + code.length, 0);
  if (codeLength > codeLengthMax) {
    const rule = `all modules together must have at most ${codeLengthMax} characters of code`;
    return { ok: false, message: `Cannot load the modules as ${rule}: they have ${codeLength}` };
  }
  const plan = planLinking(modules);
  if (plan.ok) return { ok: true, order: plan.order, codeLength };
  const imports = plan.missing
    .slice(0, shownMax.imports)
    .map(({ importer, specifier }) => `"${specifier}" into "${importer}"`);
  const names = [...modules.keys()].slice(0, shownMax.modules);
  return {
    ok: false,
    message: `Cannot import ${imports.join(", ")} as the sandbox has only these modules: ${names.join(", ")}`,
  };
}
