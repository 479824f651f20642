// The lists of cases that one cell keeps for its series: each is sent when it is first needed there.
import type { Cell } from "../../execution/cell.ts";
import type { CaseList, ListKeeper } from "../runs/case-list.ts";

/** How long the arguments of all lists that a cell keeps are together; beyond it, those that came first are sent again if needed. */
const keptLengthMax = 64 * 2 ** 20;

export class KeptLists implements ListKeeper {
  readonly #cell: Pick<Cell, "send">;
  readonly #numbers = new Map<CaseList, number>();
  #lastNumber = 0;
  #length = 0;

  constructor(cell: Pick<Cell, "send">) {
    this.#cell = cell;
  }

  /** The number of a list at the cell. What is sent to the cell afterwards may refer to it. */
  numberOf(list: CaseList): number {
    const known = this.#numbers.get(list);
    if (known !== undefined) return known;
    for (const oldest of this.#numbers.keys()) {
      if (this.#length + list.length <= keptLengthMax) break;
      this.forget(oldest);
    }
    const number = ++this.#lastNumber;
    const { targets } = list;
    const cases = list.cases.map(({ target, args }) => `[${target},${args}]`);
    this.#cell.send({ t: "keep", list: number, targets, cases });
    this.#numbers.set(list, number);
    this.#length += list.length;
    list.noteKept(this);
    return number;
  }

  forget(list: CaseList): void {
    const number = this.#numbers.get(list);
    if (number === undefined) return;
    this.#numbers.delete(list);
    this.#length -= list.length;
    list.noteForgotten(this);
    this.#cell.send({ t: "release", lists: [number] });
  }
}
