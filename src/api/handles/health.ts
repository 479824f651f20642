// How a runtime is, in one value.
import type { Health } from "../types/runtime.ts";
import type { Engine } from "../wiring/engine.ts";

export function healthOf(engine: Engine): Health {
  const { pool, config, recovery } = engine.parts;
  const store = config.store.status ?? { state: "ok", reason: null };
  const ready = pool.queues.length;
  const wanted = config.cells.count + config.cells.spare;
  const facts = pool.queues[0]?.cell.facts;
  return {
    status: statusOf(engine, store.state),
    cells: { ready, wanted, starting: pool.isStarting },
    unavailable: pool.unavailable?.message ?? null,
    store: { ...store, recovered: recovery.value },
    jail: facts?.jail ?? { layers: [], missing: [] },
    profiles: { usual: config.profiles.usual.name, names: config.profiles.names },
  };
}

function statusOf({ parts, isClosed }: Engine, store: "ok" | "degraded"): Health["status"] {
  const { pool, config } = parts;
  const ready = pool.queues.length;
  if (isClosed) return "closed";
  if (ready === 0) return "down";
  if (store === "degraded") return "degraded";
  if (ready >= config.cells.count) return "ok";
  return pool.isComingUp ? "starting" : "degraded";
}
