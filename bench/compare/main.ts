// `npm run bench -- --compare COMMIT`: the rows of this checkout, with its own build and with that of another commit, in turn.
import { fileURLToPath } from "node:url";
import type { Result } from "../measure.ts";
import type { Row } from "../row.ts";
import { measureApart } from "../row-process.ts";
import { checkOut } from "./checkout.ts";
import { compare, comparisonText, type Comparison, type Pair } from "./comparison.ts";

const here = fileURLToPath(new URL("../..", import.meta.url));

export interface CompareOptions {
  readonly commit: string;
  readonly rows: readonly Row[];
  /** How often each build is measured. */
  readonly pairs: number;
  readonly roundsMax: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface ComparedRow {
  readonly name: string;
  readonly unit: string;
  readonly comparisons: readonly Comparison[];
}

/** Prints how each row compares; answers what was compared. Rejects where the commit cannot be built. */
export async function compareWith(options: CompareOptions): Promise<readonly ComparedRow[]> {
  const { commit, rows, signal, progress } = options;
  progress(`building ${commit}`);
  await using other = await checkOut({ from: here, commit, signal });
  progress("");
  console.log(`before: ${other.title}\nafter: this checkout`);
  const compared: ComparedRow[] = [];
  for (const row of rows) {
    if (row.isOwn === true) {
      console.log(`\n${row.name}: left out, as it imports the sources of this checkout`);
      continue;
    }
    const comparisons = compare(await measurePairs(row, other.root, options));
    compared.push({ name: row.name, unit: row.unit, comparisons });
    console.log(`\n${comparisonText(row.name, row.unit, comparisons)}`);
  }
  return compared;
}

// The build that comes first changes from pair to pair, so that neither always finds the machine as the other left it.
async function measurePairs(row: Row, otherRoot: string, options: CompareOptions): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (let index = 0; index < options.pairs; index++) {
    options.progress(`${row.name}: ${index + 1}/${options.pairs}`);
    const before = (): Promise<Result | undefined> => tryOne(row, options, otherRoot);
    const after = (): Promise<Result | undefined> => tryOne(row, options, undefined);
    if (index % 2 === 0) pairs.push({ before: await before(), after: await after() });
    else {
      const second = await after();
      pairs.push({ before: await before(), after: second });
    }
  }
  options.progress("");
  return pairs;
}

// An earlier build may lack what the row needs; that is said, and the other rows go on.
async function tryOne(
  row: Row,
  { roundsMax, signal }: CompareOptions,
  subject: string | undefined,
): Promise<Result | undefined> {
  signal.throwIfAborted();
  try {
    return await measureApart(row, {
      onRound: () => {},
      signal,
      ...(roundsMax !== undefined && { roundsMax }),
      ...(subject !== undefined && { subject }),
    });
  } catch (error) {
    signal.throwIfAborted();
    const which = subject === undefined ? "after" : "before";
    console.log(`\n${row.name}, ${which}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
