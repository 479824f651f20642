// Series of cases in a simulated cell: those that answer at once stand before the one that the report is about.
import type { KeepCommand, RunGroup } from "../../src/execution/protocol/messages.ts";
import type { Series } from "../../src/execution/protocol/run-parts.ts";
import type { Dice } from "./dice.ts";
import { actOf, type Act } from "./fake-acts.ts";
import type { Activity, FakeBox } from "./fake-box.ts";

export interface FakeCase {
  readonly name: string;
  readonly token: string;
  readonly ms: number;
}

/** The lists that a cell keeps. */
export class FakeLists {
  readonly #byNumber = new Map<number, readonly FakeCase[]>();

  keep({ list, targets, cases }: KeepCommand): void {
    const kept = cases.map((text) => {
      const [target, args] = JSON.parse(text) as [number, readonly unknown[]];
      const [first, ms] = args;
      return { name: targets[target]?.[1] ?? "", token: String(first), ms: Number(ms ?? 0) };
    });
    this.#byNumber.set(list, kept);
  }

  release(numbers: readonly number[]): void {
    for (const number of numbers) this.#byNumber.delete(number);
  }

  /** The cases of a series, of which others have none; throws where the cell was not given them. */
  casesOf(series: Series | undefined): readonly FakeCase[] {
    if (series === undefined) return [];
    const { list, from, count } = series;
    const cases = this.#byNumber.get(list)?.slice(from, from + count);
    if (cases?.length === count) return cases;
    throw new TypeError(`a cell was sent a series of ${count} from ${from} of a list that it does not have`);
  }
}

/** What a series needs of its cell. */
interface SeriesHost {
  readonly parts: { readonly dice: Dice };
  begin(box: FakeBox, activity: Activity, actFor: () => Act): void;
  noteBeginning(box: FakeBox, token: string): void;
}

interface SeriesRun {
  readonly op: number;
  readonly group: RunGroup;
  readonly cases: readonly FakeCase[];
}

export function beginSeries(host: SeriesHost, box: FakeBox, run: SeriesRun): void {
  const { lane, timeoutMs } = run.group;
  const activity: Activity = { op: run.op, kind: "run", lane, timeoutMs, token: "", startedMs: 0 };
  host.begin(box, activity, () => {
    const { act, before } = seriesActOf(host, box, run);
    activity.before = before;
    return act;
  });
}

function seriesActOf(
  host: SeriesHost,
  box: FakeBox,
  { cases, group }: SeriesRun,
): { readonly act: Act; readonly before: readonly (number | string)[] } {
  const before: (number | string)[] = [];
  for (const { name, token, ms } of cases) {
    host.noteBeginning(box, token);
    const act = actOf(name, box, { token, ms });
    if (act.spinMs > 0 || act.end.do !== "answer") return { act, before };
    const answer = act.end.answer();
    const isFailed = typeof answer === "string" && answer.startsWith("T");
    const isOver = isFailed && group.series?.isStrict === true;
    // Now and then its time is over.
    const isLast = isOver || before.length === cases.length - 1 || host.parts.dice.chance(0.2);
    if (isLast) return { act: { ...act, end: { do: "answer", answer: () => answer } }, before };
    before.push(answer);
  }
  throw new TypeError("a series has at least one case");
}
