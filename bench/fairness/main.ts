// `node bench/main.ts fairness`: what an honest owner waits for beside attackers, and what a bare process waits for meanwhile.
import { parseArgs } from "node:util";
import { startPeer } from "../peers/child.ts";
import { machine, machineLine } from "../report.ts";
import { attacks } from "./attacks.ts";
import { besiege, relations, type Relation } from "./siege.ts";
import { headLines, lineOf, verdictLines, type Line } from "./table.ts";

const help = `Usage: node bench/main.ts fairness [--only WORD]… [--tenant same|other] [--seconds N] [--attackers N] [--list]

  --only WORD      only attacks whose name has the word; may be repeated
  --tenant WHICH   only attackers of the same tenant as the honest owner, or of another
  --seconds N      how long each attack is measured (default 4)
  --attackers N    how many attackers there are (default 20)
  --list           name the attacks and end`;

const options = {
  only: { type: "string", multiple: true, default: [] as string[] },
  tenant: { type: "string" },
  seconds: { type: "string", default: "4" },
  attackers: { type: "string", default: "20" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Measures and prints the table. A bound that is exceeded is no error; an attack that could not be measured is one. */
export async function fairness(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options });
  const { only } = values;
  const chosen = attacks.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)));
  const sides = relations.filter((side) => values.tenant === undefined || side.startsWith(values.tenant));
  const lengthMs = Number(values.seconds) * 1_000;
  const attackers = Number(values.attackers);
  const isRead = chosen.length > 0 && sides.length > 0 && lengthMs > 0 && attackers > 0;
  if (values.help || !isRead) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  if (values.list) for (const { name, about } of chosen) console.log(`${name}: ${about}`);
  else return run({ chosen, sides, lengthMs, attackers });
  return 0;
}

interface Plan {
  readonly chosen: typeof attacks;
  readonly sides: readonly Relation[];
  readonly lengthMs: number;
  readonly attackers: number;
}

async function run({ chosen, sides, lengthMs, attackers }: Plan): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const peer = stack.use(startPeer("echo.ts"));
  for (let n = 0; n < 100; n++) await peer.ask(n % 10 === 0 ? "create" : "call");
  console.log(`${machineLine(machine())}\n${headLines().join("\n")}`);
  const lines: Line[] = [];
  const alone = { attack: undefined, relation: "other tenant", attackers, lengthMs, peer } as const;
  console.log(lineOf({ name: "(alone)", relation: undefined, figures: await besiege(alone) }));
  let failed = 0;
  for (const attack of chosen) {
    for (const relation of sides) {
      try {
        const figures = await besiege({ attack, relation, attackers, lengthMs, peer });
        const line = { name: attack.name, relation, figures };
        lines.push(line);
        console.log(lineOf(line));
      } catch (error) {
        failed++;
        console.log(
          `${attack.name}, ${relation}: FAILED: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
  console.log(`\n${verdictLines(lines).join("\n")}`);
  return failed === 0 ? 0 : 1;
}
