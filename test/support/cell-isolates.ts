// Which isolates a cell has: those that it was told to make, until it was told to drop them or said that they are lost.
import type { Cell, CellListener } from "../../src/execution/cell.ts";
import type {
  Command,
  DoneItem,
  DoneReport,
  LoadCommand,
  Report,
} from "../../src/execution/protocol/messages.ts";

export class CellIsolates {
  readonly #loads = new Map<number, LoadCommand>();
  /** Whose operations are under way. */
  readonly #keys = new Map<number, number>();

  /** The orders by which its isolates were made. */
  get orders(): readonly LoadCommand[] {
    return [...this.#loads.values()];
  }

  /** Whether this answer is to a load behind which a run was sent that the report does not answer. */
  isBeforeRun({ op: answered }: DoneItem, { quick, items }: DoneReport): boolean {
    const key = this.#keys.get(answered);
    const isAnswered = (op: number): boolean => quick.includes(op) || items.some((item) => item.op === op);
    return [...this.#keys].some(([op, other]) => other === key && op > answered && !isAnswered(op));
  }

  /** The same cell; what it is told is noted. */
  listenTo(cell: Cell): Cell {
    const send: Cell["send"] = (command) => {
      this.#note(command);
      cell.send(command);
    };
    return new Proxy(cell, {
      get(target, name) {
        if (name === "send") return send;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** The same listener; what the cell tells is noted. */
  listenFor(listener: CellListener): CellListener {
    return {
      onReport: (report) => {
        this.#hear(report);
        listener.onReport(report);
      },
      onDeath: (death) => {
        this.#loads.clear();
        listener.onDeath(death);
      },
    };
  }

  #note(command: Command): void {
    if (command.t === "load") this.#loads.set(command.key, command);
    if (command.t === "drop") for (const key of command.keys) this.#loads.delete(key);
    if (command.t === "run")
      for (const { op, keys } of command.groups)
        for (const [index, key] of keys.entries()) this.#keys.set(op + index, key);
    else if ("op" in command && "key" in command) this.#keys.set(command.op, command.key);
  }

  #hear(report: Report): void {
    if (report.t === "background" && report.isLost) this.#loads.delete(report.key);
    if (report.t !== "done") return;
    for (const { op, isLost } of report.items) {
      const key = this.#keys.get(op);
      this.#keys.delete(op);
      // What was made again since is not what was lost.
      if (isLost && key !== undefined && (this.#loads.get(key)?.op ?? Infinity) <= op)
        this.#loads.delete(key);
    }
  }
}
