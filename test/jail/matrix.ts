// Runs the probes as the user that starts it: without a jail, in the whole jail, and behind each layer alone. Prints what it
// found as one line of JSON.
import { completeJail } from "../../src/api/options/jail-options.ts";
import { cellPrograms } from "../../src/execution/cell-launch.ts";
import { programUrl } from "../../src/execution/programs.ts";
import { Jail } from "../../src/jail/jail.ts";
import type { JailLayer, JailReport } from "../../src/jail/layers.ts";
import { systemClock } from "../../src/std/clock.ts";
export type { Cost } from "./setup.ts";
import { Setup, type Cost, type Told } from "./setup.ts";

export interface Matrix {
  readonly uid: number;
  readonly plan: JailReport;
  readonly control: Told;
  readonly jailed: Told;
  readonly alone: Readonly<Partial<Record<JailLayer, Told>>>;
  /** In turns, without and with. */
  readonly costs: readonly { readonly without: Cost; readonly with: Cost }[];
}

const costRounds = 3;
/** Tested elsewhere, as these layers protect the cell itself, and end it. */
const keepsNothingFromUs: readonly JailLayer[] = ["tether", "hidden"];

if (process.argv[1] === import.meta.filename) {
  const matrix = await findOut();
  process.stdout.write(`${JSON.stringify(matrix)}\n`, () => process.exit(0));
}

async function findOut(): Promise<Matrix> {
  await using setup = await Setup.set();
  const parts = { clock: systemClock, starterUrl: programUrl("starter"), programs: cellPrograms() };
  const { plan } = new Jail(completeJail({}), parts);
  const control = await setup.probe([]);
  const jailed = await setup.probe(plan.layers);
  const alone: Partial<Record<JailLayer, Told>> = {};
  // Node has rings of io_uring open and aborts under the seal, unless the filter prevented it from opening them.
  for (const layer of plan.layers.filter((each) => !keepsNothingFromUs.includes(each)))
    alone[layer] = await setup.probe(layer === "seal" ? ["filter", "seal"] : [layer]);
  const costs: { without: Cost; with: Cost }[] = [];
  for (let round = 0; round < costRounds; round++)
    costs.push({ without: await setup.cost([]), with: await setup.cost(plan.layers) });
  return { uid: process.getuid?.() ?? -1, plan, control, jailed, alone, costs };
}
