// A program in place of a cell that answers with noise: the seed is in the name of the module that it is to run.
import type { Command, Report } from "../../src/execution/protocol/messages.ts";
import { toFrame } from "../../src/std/frames.ts";
import { answered } from "../support/answered.ts";
import { pipe, stand } from "../support/cell-double.ts";
import { Dice } from "./dice.ts";
import { noise, plausible } from "./messages.ts";

const done = (op: number, answer: string | number): Report => ({
  t: "done",
  quick: [],
  items: [answered(op, { answer })],
  heaps: [
    {
      key: 1,
      heapBytes: 1,
      heapPeakBytes: 1,
      externalBytes: 1,
      processes: 0,
      processesMax: 0,
      queueMax: 0,
      isolate: 1,
      sandboxes: 1,
    },
  ],
  states: [],
});

function obey(command: Command): void {
  if (command.t === "load") pipe.write(toFrame(done(command.op, "V[-1]")));
  if (command.t !== "run") return;
  for (const { op, keys, module } of command.groups) {
    const dice = new Dice(Number(module.replaceAll(/\D/g, "")));
    const [key = 1] = keys;
    const truth = [
      done(op, 42),
      { t: "pending", op, startedUs: 1 },
      { t: "waiting", op },
      { t: "log", key, op, lines: [[1, "said"]] },
      { t: "background", key, verdict: "timeout", isLost: false },
      { t: "process", key, kind: "exited", detail: "{}" },
      { t: "poisoned", why: "noise" },
    ];
    // Mostly messages for which the cell is not ended at once, so that there are cells left.
    const isLoud = dice.chance(0.1);
    for (let n = dice.below(6); n >= 0; n--)
      pipe.write(isLoud ? noise(dice, truth) : toFrame(plausible(dice, dice.pick(truth.slice(0, -1)))));
    for (const [index] of keys.entries()) pipe.write(toFrame(done(op + index, 42)));
    // What it left incomplete stays so.
    if (isLoud) pipe.end(() => process.exit(0));
  }
}

stand(obey);
