// A lane of hostile guests: programs that attack the cell, and sandboxes that give the store much to write.
import { Dice } from "../../fuzz/dice.ts";
import { choose, fits, letLoose } from "../hostile-loop.ts";
import type { Shared } from "./account.ts";

const asksMax = 10;

/** Lets hostile guests loose until the run is over. */
export async function attack(shared: Shared, seed: number, costly: ReadonlySet<string>): Promise<void> {
  const dice = new Dice(seed);
  const { runtime, account, isOver } = shared;
  while (!isOver()) {
    if (dice.chance(0.15)) {
      await fillStore(shared, dice);
      continue;
    }
    const program = choose(dice, costly);
    const number = account.next();
    try {
      const { end, message } = await letLoose(runtime, program, number);
      if (!fits(program, end)) account.objectTo(`${program.id}: ${end}, ${message}`);
    } catch (error) {
      account.fault(`${program.id}: ${String(error)}`);
    }
    account.hostileRuns++;
  }
}

// A state that grows with every message, much output, and many versions.
const bulky = (tag: number): string => `
  import { server, supervisor } from "vivarium/guest";
  const Bulky = server({ name: "bulky", init: () => ({ texts: [] }),
    handleCall: (message, state) => {
      for (let n = 0; n < 50; n++) console.log("much output ".repeat(50));
      return { reply: ${tag}, state: { texts: [...state.texts, "x".repeat(message)] } };
    } });
  export const filler = "${"y".repeat(2_000)}";
  export default supervisor({ children: [{ id: "bulky", start: Bulky }] });`;

async function fillStore({ runtime, account }: Shared, dice: Dice): Promise<void> {
  const number = account.next();
  const spec = { modules: { main: bulky(number) }, supervisor: "main", checkpoint: "message" } as const;
  const limits = { timeoutMs: 5_000, loadMs: 5_000, stepMs: 5_000 };
  try {
    await using sandbox = await runtime.create(`bulky-${number}`, { ...spec, limits });
    // How it ends does not matter, as long as others are not harmed.
    for (let asks = dice.below(asksMax); asks > 0; asks--) await sandbox.ask("bulky", dice.below(200_000));
    for (let reloads = dice.below(5); reloads > 0; reloads--)
      await sandbox.hotReload({ main: bulky(account.next()) });
  } catch (error) {
    account.objectTo(`bulky: ${String(error)}`);
  }
  account.hostileRuns++;
}
