// How many short runs are at a cell at a time: many, so that its pipe costs little, but few while somebody makes calls one by one
// and so waits for each of them.

/** So many wait before somebody who comes next for a millisecond or two. */
const usual = 64;
const besideSingles = 16;
/** So long after a call that came alone. */
const singlesMs = 100;

export class SendWindow {
  #arrived = 0;
  #singleMs = -Infinity;

  /** A run came in. */
  noteArrival(): void {
    this.#arrived++;
  }

  /** More are sent now while fewer than this are at the cell, at most as many in one frame. */
  open(nowMs: number): number {
    if (this.#arrived === 1) this.#singleMs = nowMs;
    this.#arrived = 0;
    return nowMs - this.#singleMs < singlesMs ? besideSingles : usual;
  }
}
