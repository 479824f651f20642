// What requests and responses have in common: a body that is read once, whole or piece by piece.
import type { Needs } from "../needs.ts";

/** Gives the pieces of a body, one after the other. */
export interface Source {
  /** The next piece; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** No more of it is wanted. */
  cancel(reason: unknown): void;
}

let needs: Needs;

/** Runs before any body is made. */
export function connectBodies(given: Needs): void {
  needs = given;
}

/** Pieces that are there already. */
export class Ready implements Source {
  readonly #pieces: Uint8Array[];

  constructor(...pieces: readonly Uint8Array[]) {
    this.#pieces = [...pieces];
  }

  // oxlint-disable-next-line require-await -- as those that are not there yet
  async next(): Promise<Uint8Array | undefined> {
    return this.#pieces.shift();
  }
  cancel(): void {
    this.#pieces.length = 0;
  }
}

/** Two sources that both give the pieces of one; what only one of them has read is kept for the other. */
function split(source: Source): readonly [Source, Source] {
  const queues: Uint8Array[][] = [[], []];
  const cancelled = [false, false];
  let reading: Promise<void> = Promise.resolve();
  let isOver = false;
  const pull = async (): Promise<void> => {
    if (isOver) return;
    const piece = await source.next();
    if (piece === undefined) isOver = true;
    else queues.forEach((queue, i) => void (cancelled[i] || queue.push(piece.slice())));
  };
  const half = (own: 0 | 1): Source => ({
    async next() {
      const queue = queues[own] ?? [];
      for (;;) {
        if (queue.length > 0 || isOver) return queue.shift();
        await (reading = reading.then(pull));
      }
    },
    cancel(reason) {
      cancelled[own] = true;
      if (cancelled[0] && cancelled[1]) source.cancel(reason);
    },
  });
  return [half(0), half(1)];
}

let isUsed: (stream: BodyStream) => boolean;
let takeSource: (stream: BodyStream) => Source;
let splitStream: (stream: BodyStream) => BodyStream;

/** A body as it is read piece by piece: as much of a ReadableStream as most code uses. */
export class BodyStream {
  #source: Source;
  #isLocked = false;
  #isUsed = false;

  constructor(source: Source) {
    this.#source = source;
  }

  static {
    isUsed = (stream) => stream.#isUsed || stream.#isLocked;
    takeSource = (stream) => {
      stream.#assertFree();
      stream.#isUsed = true;
      stream.#isLocked = true;
      return stream.#source;
    };
    splitStream = (stream) => {
      stream.#assertFree();
      const [own, other] = split(stream.#source);
      stream.#source = own;
      return new BodyStream(other);
    };
  }

  get locked(): boolean {
    return this.#isLocked;
  }

  // oxlint-disable-next-line require-await -- it must reject, not throw
  async cancel(reason?: unknown): Promise<void> {
    takeSource(this).cancel(reason);
  }

  getReader(): object {
    const source = takeSource(this);
    this.#isUsed = false;
    let isReleased = false;
    const assertHeld = (): void => {
      if (isReleased) throw new TypeError("Cannot read as the reader must not have been released: it was");
      this.#isUsed = true;
    };
    return {
      read: async () => {
        assertHeld();
        const value = await source.next();
        return { value, done: value === undefined };
      },
      cancel: async (reason?: unknown) => {
        assertHeld();
        source.cancel(reason);
      },
      releaseLock: () => {
        isReleased = true;
        this.#isLocked = false;
      },
    };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const source = takeSource(this);
    let isDone = false;
    try {
      for (let piece = await source.next(); piece !== undefined; piece = await source.next()) yield piece;
      isDone = true;
    } finally {
      if (!isDone) source.cancel(undefined);
    }
  }

  #assertFree(): void {
    if (this.#isUsed || this.#isLocked)
      throw new TypeError("Cannot read the body as it must not have been read: it was");
  }
}

/** What both kinds of messages inherit. */
export class Message {
  readonly #body: BodyStream | null;

  constructor(body: BodyStream | null) {
    this.#body = body;
  }

  get body(): BodyStream | null {
    return this.#body;
  }
  get bodyUsed(): boolean {
    return this.#body !== null && isUsed(this.#body);
  }
  async bytes(): Promise<Uint8Array> {
    if (this.#body === null) return new Uint8Array(0);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#body) pieces.push(piece);
    return joined(pieces);
  }
  async arrayBuffer(): Promise<ArrayBufferLike> {
    return (await this.bytes()).buffer;
  }
  async text(): Promise<string> {
    const { TextDecoder: Decoder } = needs.made("text-coding") as {
      readonly TextDecoder: typeof TextDecoder;
    };
    return new Decoder().decode(await this.bytes());
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** Another body with what a message's has; the message keeps its own. */
export function copyOfBody({ body }: Message): BodyStream | null {
  return body === null ? null : splitStream(body);
}

/** The body that is given to a message, and the type of its content. */
export function bodyOf(given: unknown): { readonly body: BodyStream | null; readonly type?: string } {
  if (given === undefined || given === null) return { body: null };
  if (given instanceof BodyStream) return { body: new BodyStream(takeSource(given)) };
  if (ArrayBuffer.isView(given))
    return { body: streamOf(new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice()) };
  if (given instanceof ArrayBuffer) return { body: streamOf(new Uint8Array(given).slice()) };
  const { TextEncoder: Encoder } = needs.made("text-coding") as { readonly TextEncoder: typeof TextEncoder };
  const { URLSearchParams: Params } = needs.made("url") as {
    readonly URLSearchParams: typeof URLSearchParams;
  };
  const isForm = given instanceof Params;
  const type = isForm ? "application/x-www-form-urlencoded" : "text/plain";
  return { body: streamOf(new Encoder().encode(`${given as string}`)), type: `${type};charset=UTF-8` };
}

function streamOf(bytes: Uint8Array): BodyStream {
  return new BodyStream(new Ready(bytes));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
