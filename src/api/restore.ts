// At the start, what the store says is brought back to life.
import { LoadError, VivariumError } from "../model/errors.ts";
import { parseSandboxId } from "../model/ids.ts";
import { resolveLimits } from "../model/limits.ts";
import type { Lifecycle } from "../orchestration/lifecycle.ts";
import type { StoredSandbox } from "../store/store.ts";
import type { Config } from "./config.ts";
import { readModules } from "./spec.ts";

const atOnce = 32;

/** Creates every stored sandbox again. One whose code no longer loads stays as a failed record, as it would at creation. */
export async function restoreAll(config: Config, lifecycle: Lifecycle): Promise<void> {
  const stored = [...(await open(config))];
  const worker = async (): Promise<void> => {
    for (let next = stored.shift(); next !== undefined; next = stored.shift())
      await restore(next, config, lifecycle);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function open(config: Config): Promise<readonly StoredSandbox[]> {
  try {
    return await config.store.open();
  } catch (cause) {
    throw new VivariumError(
      "STORE_FAILED",
      `Cannot open the store: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
}

async function restore(stored: StoredSandbox, config: Config, lifecycle: Lifecycle): Promise<void> {
  const { ancestry, labels, deterministic } = stored;
  try {
    await lifecycle.create({
      id: parseSandboxId(stored.id),
      modules: readModules(stored.sources),
      limits: resolveLimits(config.limits, stored.limits),
      character: { deterministic },
      ancestry,
      labels,
    });
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
  }
}
