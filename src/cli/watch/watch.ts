// `vivarium watch`: a sandbox whose code is that of files, and reloaded when these change. The files are read and followed on this
// side, so that it is the same with a runtime elsewhere.
import type { CallTarget, Clock, Outcome, ReloadReport, Runtime, Sandbox, SandboxSpec } from "../../index.ts";
import { asVivariumError, LoadError, type VivariumError } from "../../model/errors.ts";
import { Follower } from "./follow.ts";

/** What happened, in its order. */
export type WatchEvent =
  | { readonly type: "created"; readonly sandboxId: string; readonly modules: readonly string[] }
  | { readonly type: "reload"; readonly report: ReloadReport; readonly durationMs: number }
  /** The files cannot be run: the sandbox keeps the code that it has, or is not there yet. */
  | { readonly type: "failed"; readonly error: VivariumError }
  | { readonly type: "outcome"; readonly target: CallTarget; readonly outcome: Outcome };

export interface WatchOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly path: string;
  /** Undefined makes one up. */
  readonly id: string | undefined;
  readonly spec: Omit<SandboxSpec, "modules" | "path" | "autoReload">;
  /** How long one call may take; undefined leaves it to the sandbox. */
  readonly timeoutMs: number | undefined;
  readonly call: { readonly target: CallTarget; readonly args: readonly unknown[] } | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: WatchEvent) => void;
}

/** Resolves when the signal is aborted; rejects where the files can no longer be followed. The sandbox is gone then. */
export async function watchFiles(options: WatchOptions): Promise<void> {
  const ended = Promise.withResolvers<void>();
  await using watched = new Watched(options);
  using follower = new Follower({
    clock: options.clock,
    path: options.path,
    onChange: () => watched.refresh(),
    onError: (error) => ended.reject(asVivariumError(error)),
  });
  const end = (): void => ended.resolve();
  options.signal.addEventListener("abort", end, { once: true });
  if (options.signal.aborted) end();
  watched.refresh();
  try {
    await ended.promise;
  } finally {
    options.signal.removeEventListener("abort", end);
    follower[Symbol.dispose]();
  }
}

class Watched implements AsyncDisposable {
  readonly #options: WatchOptions;
  #sandbox: Sandbox | undefined;
  /** The modules that it has now. */
  #names: readonly string[] = [];
  #work: Promise<void> | undefined;
  #isStale = false;
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Brings the sandbox to what the files are now: one turn at a time, and one more where they changed meanwhile. */
  refresh(): void {
    this.#isStale = true;
    this.#work ??= this.#catchUp().finally(() => {
      this.#work = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#work;
    await this.#sandbox?.destroy();
  }

  async #catchUp(): Promise<void> {
    while (this.#isStale && !this.#isOver) {
      this.#isStale = false;
      try {
        if (await this.#update()) await this.#call();
      } catch (thrown) {
        if (!this.#isOver) this.#options.onEvent({ type: "failed", error: asVivariumError(thrown) });
      }
    }
  }

  /** Whether the sandbox has other code than before. */
  async #update(): Promise<boolean> {
    const { runtime, clock, path, onEvent, signal } = this.#options;
    const { modules } = await runtime.compile.directory(path, { signal });
    const names = Object.keys(modules);
    if (this.#sandbox === undefined) {
      this.#sandbox = await this.#create(modules);
      this.#names = names;
      onEvent({ type: "created", sandboxId: this.#sandbox.id, modules: names });
      return true;
    }
    const gone = this.#names.filter((name) => modules[name] === undefined);
    const startMs = clock.monotonic();
    const changes = { ...modules, ...Object.fromEntries(gone.map((name) => [name, null])) };
    const report = await this.#sandbox.hotReload(changes, { signal });
    this.#names = names;
    onEvent({ type: "reload", report, durationMs: clock.monotonic() - startMs });
    return report.status === "reloaded";
  }

  // What fails at the first time leaves a record, which the next one replaces.
  async #create(modules: NonNullable<SandboxSpec["modules"]>): Promise<Sandbox> {
    const { runtime, id, spec, signal } = this.#options;
    try {
      return await (id === undefined
        ? runtime.create({ ...spec, modules, signal })
        : runtime.create(id, { ...spec, modules, signal }));
    } catch (thrown) {
      const failed = thrown instanceof LoadError ? thrown.sandboxId : undefined;
      if (failed !== undefined) await runtime.destroy(failed);
      throw thrown;
    }
  }

  async #call(): Promise<void> {
    const { call, timeoutMs, onEvent, signal } = this.#options;
    if (call === undefined || this.#sandbox === undefined) return;
    const { target, args } = call;
    const outcome = await this.#sandbox.call(target, {
      args,
      signal,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (!this.#isOver) onEvent({ type: "outcome", target, outcome });
  }
}
