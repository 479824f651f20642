// The sandbox that a page is of, with what all its tabs share: what is known of it, what is done to it, and the outcomes of its runs.
import type { AnyEvent, EventName, Sandbox, SandboxInfo } from "../../../../src/index.ts";
import type { RemoteRuntime } from "../../../../src/client/types.ts";
import type { Source } from "../../source/source.ts";
import { allows } from "../../source/source.ts";
import { page } from "../../state.svelte.ts";
import { Action } from "./action.svelte.ts";
import { Calls } from "./calls.svelte.ts";
import { Polled } from "../../controls/polled.svelte.ts";
import { RecentRuns } from "./recent.ts";
import type { Place } from "./stacks.ts";

const everyMs = 2_000;
/** What is listened to while the page is open. */
const names: readonly EventName[] = ["sandbox.run.stop", "sandbox.killed"];
/** After these what is known is old. */
const changing: readonly EventName[] = [
  "sandbox.create.stop",
  "sandbox.hotReload.stop",
  "sandbox.restart.stop",
  "sandbox.destroy.stop",
  "sandbox.rebuilt",
  "sandbox.failed",
  "version.rolledBack",
];

export class Shown {
  readonly id: string;
  readonly runtime: RemoteRuntime;
  readonly source: Source;
  readonly info: Polled<SandboxInfo>;
  readonly action: Action = new Action();
  readonly calls: Calls = new Calls();
  readonly recent: RecentRuns = new RecentRuns();
  /** Counts what was heard of its runs. */
  heard = $state(0);

  constructor(id: string, source: Source, runtime: RemoteRuntime) {
    this.id = id;
    this.source = source;
    this.runtime = runtime;
    this.info = new Polled(() => runtime.info(id), everyMs);
  }

  /** Whether buttons that change something are shown. */
  get mayAct(): boolean {
    return allows(this.source.scope, "evaluate");
  }

  /** Null where that is not known. */
  get isGone(): boolean {
    return this.info.value?.status === "stopped";
  }

  /** The handle; rejects where it is gone. */
  living(): Promise<Sandbox> {
    return this.runtime.get(this.id);
  }

  /** Follows it until what it returns is called. */
  follow(): () => void {
    const endInfo = this.info.run();
    const endEvents = this.runtime.events.onAny((any) => this.#hear(any), {
      names: [...names, ...changing],
    });
    return () => {
      endInfo();
      endEvents();
      this.calls.cancelAll();
    };
  }

  /** Does something to it, with a handle, and looks at it again. */
  act(what: string, act: (sandbox: Sandbox, signal: AbortSignal) => Promise<string>): Promise<boolean> {
    const done = this.action.run(what, async (signal) => act(await this.living(), signal));
    return done.finally(() => this.info.now());
  }

  /** Shows a place in its source. */
  openPlace(
    { module, line }: Place,
    about: { readonly version?: number | undefined; readonly mark: string },
  ): void {
    const { version, mark } = about;
    page.go("sandboxes", this.id, {
      tab: "code",
      module,
      line: String(line),
      mark: mark.slice(0, 200),
      ...(version === undefined ? {} : { version: String(version) }),
    });
  }

  #hear(any: AnyEvent): void {
    if (!("sandboxId" in any.event) || any.event.sandboxId !== this.id) return;
    if (this.recent.hear(any)) this.heard++;
    if (changing.includes(any.name) || any.name === "sandbox.killed") this.info.now();
  }
}
