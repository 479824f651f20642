// A runtime on real cells whose starts can be made to fail, and whose cells can be ended from outside.
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../src/api/wiring/create-runtime.ts";
import type { CellLauncher, CellListener } from "../../src/execution/cell.ts";
import type { LoadCommand } from "../../src/execution/protocol/messages.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import { VivariumError, type Runtime, type RuntimeOptions } from "../../src/index.ts";
import { CellIsolates } from "./cell-isolates.ts";
import { until } from "./waiting.ts";

export interface Breakable extends AsyncDisposable {
  readonly runtime: Runtime;
  /** While true, no cell can be started. */
  isBroken: boolean;
  /** The pid of the cell in which a sandbox lives. */
  cellOf(id: string): Promise<number>;
  /** Sends a signal to all cells, or to those of these pids. */
  signal(name: NodeJS.Signals, pids?: readonly number[]): Promise<void>;
  /** The orders by which the isolates of cells were made, by the cells' numbers. */
  isolates(): ReadonlyMap<number, readonly LoadCommand[]>;
  /** Waits until as many cells are up as are wanted. */
  whole(): Promise<void>;
}

/** What is put between a cell and its host. */
export type Between = (isolates: CellIsolates, listener: CellListener) => CellListener;

/** Starts a runtime, by default with one shared cell and one to spare, and waits until all cells are up. */
export async function startBreakable(
  options: RuntimeOptions = {},
  between: Between = (_, listener) => listener,
): Promise<Breakable> {
  const config = completeConfig({ ...options, cells: { count: 1, spare: 1, warm: 4, ...options.cells } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const real = launcherFor(config, guards);
  const isolatesIn = new Map<number, CellIsolates>();
  const launch: CellLauncher = async (number, listener) => {
    if (breakable.isBroken)
      throw new VivariumError("CELL_START_FAILED", "Cannot start a cell as the test forbids it");
    const isolates = new CellIsolates();
    const cell = await real(number, between(isolates, isolates.listenFor(listener)));
    isolatesIn.set(number, isolates);
    return isolates.listenTo(cell);
  };
  const pidsOf = async (): Promise<number[]> =>
    (await breakable.runtime.metrics()).cells.map(({ pid }) => pid);
  const breakable: Omit<Breakable, "runtime"> & { runtime: Runtime } = {
    runtime: undefined as unknown as Runtime,
    isBroken: false,
    async cellOf(id) {
      const { cell } = await breakable.runtime.info(id);
      const found = (await breakable.runtime.metrics()).cells.find(({ number }) => number === cell);
      return found?.pid ?? 0;
    },
    async signal(name, pids) {
      for (const pid of pids ?? (await pidsOf())) sendSignal(pid, name);
    },
    isolates: () => new Map(Array.from(isolatesIn, ([number, { orders }]) => [number, orders])),
    async whole() {
      await until("all cells are up", async () => {
        const { cells } = await breakable.runtime.health();
        return cells.ready >= cells.wanted;
      });
    },
    [Symbol.asyncDispose]: () => breakable.runtime.close(),
  };
  breakable.runtime = await assemble(config, { ...guards, launch });
  await breakable.whole();
  return breakable;
}

// One that has just ended may still be counted.
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
