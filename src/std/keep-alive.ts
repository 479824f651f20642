// What keeps the process alive: promises that a caller waits for, and listeners that it waits with. All else of a runtime
// (children, pipes, threads, timers) lets the process end, as an idle pool of connections does.

/** How often to see whether listeners alone keep the process alive. */
const lookMs = 5_000;
/** What the process has of its own, whatever it does. */
const ordinary = new Set(["TTYWrap", "PipeWrap", "CloseReq"]);

let waits = 0;
let listeners = 0;
/** How many waits there have been. */
let begun = 0;
let begunAtLook = -1;
let hasWarned = false;
let handle: NodeJS.Timeout | undefined;

/** Somebody waits: the process lives on until `endWait` is called as often. */
export function beginWait(): void {
  begun++;
  if (waits++ === 0) hold();
}

export function endWait(): void {
  if (waits > 0 && --waits === 0 && listeners === 0) handle?.unref();
}

/** Nobody waits or listens any more, as when a process has ended: for simulated ones that end without closing anything. */
export function forgetWaits(): void {
  waits = 0;
  listeners = 0;
  handle?.unref();
}

/** The same promise, as its caller sees it; the process lives on until it is settled. */
export function awaited<T>(promise: Promise<T>): Promise<T> {
  beginWait();
  // The one that is returned is rejected too, so that a rejection that nobody handles is still noticed.
  return promise.finally(endWait);
}

/** Somebody listens for what may come: the process lives on until the returned function is called. */
export function beginListening(): () => void {
  let isOver = false;
  if (listeners++ === 0) hold();
  return () => {
    if (isOver) return;
    isOver = true;
    if (listeners > 0 && --listeners === 0 && waits === 0) handle?.unref();
  };
}

/** Whether anybody waits or listens. */
export function isAwaited(): boolean {
  return waits > 0 || listeners > 0;
}

/**
 * Makes every method of a class that answers with a promise keep the process alive until that is settled: with a list of
 * methods, one that is added later would be forgotten.
 */
export function awaitMethods(prototype: object, except: readonly string[] = []): void {
  for (const name of Reflect.ownKeys(prototype)) {
    const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof method !== "function" || name === "constructor" || except.includes(String(name))) continue;
    function awaiting(this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(method as () => unknown, this, args);
      return result instanceof Promise ? awaited(result) : result;
    }
    Object.defineProperty(awaiting, "name", { value: method.name });
    Object.defineProperty(prototype, name, { value: awaiting, writable: true, configurable: true });
  }
}

function hold(): void {
  if (handle === undefined) handle = setInterval(look, lookMs);
  else handle.ref();
}

// A program that is done but for its listeners is told why it does not end.
function look(): void {
  const isIdle = waits === 0 && listeners > 0 && begun === begunAtLook;
  begunAtLook = begun;
  if (!isIdle || hasWarned || hasOtherWork()) return;
  hasWarned = true;
  process.emitWarning(
    "This process lives on only because something listens to the events of a runtime: close() the runtime when it is no longer needed, or listen with { background: true }",
    { type: "VivariumWarning", code: "RUNTIME_LISTENED_TO" },
  );
}

function hasOtherWork(): boolean {
  const others = process.getActiveResourcesInfo().filter((kind) => !ordinary.has(kind));
  // One timer is the one that looks.
  return others.length > 1 || (others.length === 1 && others[0] !== "Timeout");
}
