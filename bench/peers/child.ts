// A peer in a child process, asked by name for figures.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>;

interface Question {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  /** Absent where it failed, null where there is nothing to answer. */
  readonly value?: unknown;
  readonly error?: string;
}

export interface Peer extends AsyncDisposable {
  /** Most peers answer with figures; what others answer with is for the caller to say. */
  ask<T = number>(name: string, ...args: readonly unknown[]): Promise<T>;
}

/** Starts a file of this folder, or of another one by its address, as a child process. */
export function startPeer(file: string | URL, execArgv: readonly string[] = []): Peer {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, { execArgv: [...execArgv], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  child.on("message", ({ id, value, error }: Answer) => {
    const question = waiting.get(id);
    waiting.delete(id);
    if (value === undefined) question?.reject(new Error(`Cannot measure the peer: ${error}`));
    else question?.resolve(value);
  });
  const gone = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void gone.then(() => {
    for (const { reject } of waiting.values())
      reject(new Error("Cannot measure the peer as its process ended"));
  });
  return {
    ask<T>(name: string, ...args: readonly unknown[]) {
      const id = ++lastId;
      const question = Promise.withResolvers<unknown>();
      waiting.set(id, question);
      child.send({ id, name, args } satisfies Question);
      // What the handler of this name answers with.
      return question.promise as Promise<T>;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** In the child: answers questions until it is killed. */
export function answer(handlers: Handlers): void {
  process.on("message", ({ id, name, args }: Question) => {
    const handler = handlers[name] as (...args: readonly unknown[]) => unknown;
    Promise.try(handler, ...args).then(
      (value) => process.send?.({ id, value: value ?? null } satisfies Answer),
      (error: unknown) => process.send?.({ id, error: String(error) } satisfies Answer),
    );
  });
}
