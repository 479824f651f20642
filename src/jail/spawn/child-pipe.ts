// Our end of the pipe to a child: what is read of it, and for how long in a row.
import { Socket, type SocketConstructorOpts } from "node:net";
import type { Duplex } from "node:stream";

/** Gets what a child wrote. The bytes are valid only during the call. */
export type OnBytes = (bytes: Buffer) => void;

const bufferBytes = 65_536;
/** For all pipes of this thread: what was read is used before the next is read. A stream would make a buffer for each read. */
const buffer = Buffer.allocUnsafeSlow(bufferBytes);
/** After so much of one pipe in a row, others have a turn: what a child wrote long answers to does not hold up the short ones. */
const turnBytesMax = 262_144;

/** Opens our end of a socket pair. */
export function openPipe(fd: number, onBytes: OnBytes): Socket {
  const turn = new Turn();
  const pipe = new Socket({
    fd,
    readable: true,
    writable: true,
    onread: {
      buffer,
      callback: (count: number) => {
        onBytes(buffer.subarray(0, count));
        if (!turn.isOverAfter(count)) return true;
        resumeLater(pipe);
        return false;
      },
    },
  } as SocketConstructorOpts);
  // Its end is noticed, too. Whoever waits for what comes of it keeps the process alive, not the pipe.
  return pipe.resume().unref();
}

/** The same for a pipe that was opened by others. */
export function readPipe(pipe: Duplex, onBytes: OnBytes): void {
  const turn = new Turn();
  pipe.on("data", (bytes: Buffer) => {
    onBytes(bytes);
    if (!turn.isOverAfter(bytes.length)) return;
    pipe.pause();
    resumeLater(pipe);
  });
}

function resumeLater(pipe: Duplex): void {
  setImmediate(() => pipe.resume());
}

/** What was read of one pipe in a row. */
class Turn {
  #bytes = 0;

  /** Notes a read, which emptied the pipe where it did not fill the buffer. */
  isOverAfter(bytes: number): boolean {
    this.#bytes = bytes < bufferBytes ? 0 : this.#bytes + bytes;
    if (this.#bytes < turnBytesMax) return false;
    this.#bytes = 0;
    return true;
  }
}
