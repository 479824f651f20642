// A store that is slow, fails and hangs. What it holds outlives the runtime that wrote it. Requests are carried out each in
// its own time: whoever needs an order has to wait.
import type { StateCapture } from "../../src/model/sandboxes/process.ts";
import type { Clock } from "../../src/std/clock.ts";
import type { Store, StoredSandbox } from "../../src/store/store.ts";
import type { Dice } from "./dice.ts";
import type { Trouble } from "./trouble.ts";

/** What was written, and whether anyone can be sure of it. */
export class Disk {
  readonly kept = new Map<string, string>();
  /** Ids whose latest request failed, hung or is under way: either of two contents is right. */
  readonly unsure = new Set<string>();

  read(id: string): StoredSandbox | undefined {
    const text = this.kept.get(id);
    return text === undefined ? undefined : (JSON.parse(text) as StoredSandbox);
  }

  all(): StoredSandbox[] {
    return [...this.kept.keys()].map((id) => this.read(id) as StoredSandbox);
  }
}

export interface FakeStoreParts {
  readonly disk: Disk;
  readonly clock: Pick<Clock, "after">;
  readonly dice: Dice;
  readonly trouble: Trouble;
}

interface Request {
  readonly id: string;
  isHung?: boolean;
  readonly write: () => void;
}

export class FakeStore implements Store {
  /** A request of it has hung. */
  hasHung = false;
  readonly #parts: FakeStoreParts;
  readonly #underway = new Set<Request>();
  isOver = false;
  isClosed = false;
  /** Calls after the store was closed, which nobody may make. */
  late: string | undefined;

  constructor(parts: FakeStoreParts) {
    this.#parts = parts;
  }

  /** Whether any request is under way that takes longer than it may. */
  get isHung(): boolean {
    return [...this.#underway].some((request) => request.isHung === true);
  }

  open(): Promise<readonly StoredSandbox[]> {
    const { clock, dice, trouble, disk } = this.#parts;
    const isFailing = trouble.strikes("store-fail", dice, 0.1);
    const delayMs = trouble.strikes("store-slow", dice, 0.3) ? dice.between(0, 5_000) : dice.between(0, 10);
    return new Promise((resolve, reject) => {
      clock.after(delayMs, () => {
        if (this.isOver) return;
        if (isFailing) reject(new Error("the disk is away"));
        else resolve(disk.all());
      });
    });
  }

  save(sandbox: StoredSandbox): Promise<void> {
    // As it is at this moment: what its owner changes later is another matter.
    const text = JSON.stringify(sandbox);
    const { kept } = this.#parts.disk;
    return this.#request("save", { id: sandbox.id, write: () => void kept.set(sandbox.id, text) });
  }

  saveState(id: string, state: StateCapture): Promise<void> {
    const { disk } = this.#parts;
    const text = JSON.stringify(state);
    const write = (): void => {
      const stored = disk.kept.get(id);
      if (stored === undefined) return;
      disk.kept.set(
        id,
        JSON.stringify({ ...(JSON.parse(stored) as object), state: JSON.parse(text) as unknown }),
      );
    };
    return this.#request("saveState", { id, write });
  }

  remove(id: string): Promise<void> {
    return this.#request("remove", { id, write: () => void this.#parts.disk.kept.delete(id) });
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** The machine stops: each request that is under way was carried out, or was not. */
  crash(): void {
    this.isOver = true;
    const { dice } = this.#parts;
    for (const { write } of this.#underway) if (dice.chance(0.5)) write();
    this.#underway.clear();
  }

  #request(what: string, request: Request): Promise<void> {
    const { clock, dice, trouble, disk } = this.#parts;
    if (this.isClosed) this.late = `${what} ${request.id}`;
    const isHung = trouble.strikes("store-hang", dice, 0.01);
    this.hasHung ||= isHung;
    const isFailing = trouble.strikes("store-fail", dice, 0.03);
    const isWritten = dice.chance(isFailing ? 0.5 : 1);
    const hungMs = dice.between(31_000, 45_000);
    const slowMs = trouble.strikes("store-slow", dice, 0.3) ? dice.between(20, 3_000) : dice.between(0, 8);
    this.#underway.add(request);
    request.isHung = isHung;
    if (isHung) disk.unsure.add(request.id);
    return new Promise((resolve, reject) => {
      clock.after(isHung ? hungMs : slowMs, () => {
        if (this.isOver || !this.#underway.delete(request)) return;
        if (isWritten) request.write();
        // What comes so late, nobody waited for.
        if (isFailing || isHung) disk.unsure.add(request.id);
        else if (what !== "saveState") disk.unsure.delete(request.id);
        if (isFailing) reject(new Error("the disk is full"));
        else resolve();
      });
    });
  }
}
