// Sandboxes for the tests of what modules mean: with fuel, or with the profile under which there is `eval`, which is not metered.
import type { Runtime, Sandbox } from "../../src/index.ts";
import { ask, type Sources } from "./reloading.ts";

export interface ModuleGuests {
  readonly create: (modules: Sources, fuel?: number | null) => Promise<Sandbox>;
  /** What `main.f` of these modules returns. */
  readonly valueOf: (modules: Sources, fuel?: number | null) => Promise<unknown>;
}

export function moduleGuestsIn(runtime: { readonly current: Runtime }): ModuleGuests {
  const create = (modules: Sources, fuel: number | null = null): Promise<Sandbox> =>
    runtime.current.create({ modules, profile: fuel === null ? "low" : "medium", limits: { fuel } });
  return {
    create,
    valueOf: async (modules, fuel) => {
      await using sandbox = await create(modules, fuel);
      return await ask(sandbox, "main.f");
    },
  };
}
