// Starts simulated cells: at once, slowly, after failures, or never.
import type { CellLauncher } from "../../src/execution/cell.ts";
import { VivariumError } from "../../src/model/errors.ts";
import type { Life } from "./clock.ts";
import { Dice } from "./dice.ts";
import { FakeCell, type CellNotes } from "./fake-cell.ts";
import { tokenIn } from "./fake-scripts.ts";
import type { World } from "./world.ts";

const startMs = 2_000;

export function fakeLauncher(world: World, life: Life, dice: Dice): CellLauncher {
  const { clock, trouble, plan, ledger, trace } = world;
  const notes: CellNotes = {
    onMade: (box) => ledger.made(box),
    onBegin: (beginning) => ledger.begin(beginning),
    onPart: (token, at) => world.streams.produced(token, at),
    onSent: (group) => {
      if (group.stream !== undefined) world.streams.sent(group.stream, tokenIn(group));
      if (group.script !== undefined) world.scripts.sent(tokenIn(group));
    },
    onAsked: (token) => ledger.asked(token),
    onTick: (box) => {
      if (!world.suspended.has(box.who)) return;
      const cell = [...world.cells].find(({ host }) => host.boxes.get(box.key) === box);
      if (cell?.hasReadAll === true) ledger.blame("held", `${box.who} ticks though it is suspended`);
    },
    trace: (line) => trace.add(line),
  };
  let burst = 0;
  return (number, listener) => {
    const own = new Dice(plan.seed, `cell ${number} of ${dice.between(0, 1_000_000)}`);
    if (burst === 0 && trouble.strikes("start-burst", own, 0.1)) burst = own.between(3, 9);
    const isBurst = burst > 0 && trouble.has("start-burst");
    burst = Math.max(0, burst - 1);
    if (isBurst) trouble.allowedMs += 11_000;
    const isNever = trouble.strikes("start-never", own, 0.1);
    const isFailing = isNever || isBurst || trouble.strikes("start-fail", own, 0.2);
    const delayMs = isNever
      ? startMs
      : trouble.strikes("start-slow", own, 0.3)
        ? own.between(100, startMs - 1)
        : own.between(5, 40);
    return new Promise((resolve, reject) => {
      clock.after(delayMs, () => {
        if (life.isOver) return;
        if (isFailing) {
          trace.add(() => `cell ${number} does not start`);
          return reject(new VivariumError("CELL_START_FAILED", "Cannot start a cell as it is simulated"));
        }
        const { lanes: asyncLanes } = plan.cells;
        const { deathsMs } = plan;
        const cell = new FakeCell(
          { number, clock, dice: own, trouble, notes, asyncLanes, sliceMs: 25, deathsMs },
          listener,
        );
        world.cells.add(cell);
        trace.add(() => `cell ${number} starts`);
        resolve(cell);
      });
    });
  };
}
