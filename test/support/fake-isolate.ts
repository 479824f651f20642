// An isolate that tests drive: they say what each entry answers, when it comes back, and when the engine gives it up.
import type ivm from "isolated-vm";
import type { BootedIsolate, HostFunctions } from "../../src/execution/cell-host/isolates/booted-isolate.ts";
import { GuestIsolate } from "../../src/execution/cell-host/isolates/guest-isolate.ts";
import type { AnyReference } from "../../src/execution/cell-host/isolates/references.ts";
import { SharedIsolate } from "../../src/execution/cell-host/isolates/shared-isolate.ts";

const MiB = 2 ** 20;
/** The limit of each. */
export const memoryMiB = 32;

/** An entry on a thread of its own that has not come back. */
export interface Inside {
  readonly name: string;
  readonly args: readonly unknown[];
  /** It comes back with this. */
  answer(value: unknown): void;
  /** It comes back as entries into an isolate that is gone do. */
  fail(): void;
}

type Guest = (name: string, args: readonly unknown[]) => unknown;

/** What an isolate does, as a test sets it. */
export class FakeIsolate {
  isDisposed = false;
  heapBytes = MiB;
  /** The processor time that it has used in all. */
  cpuMs = 1;
  externalBytes = 0;
  /** What entries answer on the main thread, and what is proposed to those on others. */
  guest: Guest = (name) => usual[name];
  /** Called before the engine is asked for processor time or heap; may end it. */
  beforeMeter: () => void = () => {};
  /** Called when a script is compiled, which is when the engine collects garbage above its limit. */
  onCompile: () => void = () => {};
  readonly inside: Inside[] = [];
  readonly shared: SharedIsolate;
  readonly booted: BootedIsolate;
  readonly #context: ivm.Context;
  /** How many contexts were given up. */
  released = 0;

  constructor() {
    const context = {
      release: () => void this.released++,
      eval: async () => {
        this.onCompile();
        return this.#enter("script", []);
      },
    };
    this.#context = context as unknown as ivm.Context;
    this.shared = new SharedIsolate(this.#asIsolate(), memoryMiB);
    this.booted = this.add();
  }

  /** One more context in it. */
  add(): BootedIsolate {
    const isolate = new GuestIsolate(this.shared, { context: this.#context });
    const guest = new Proxy({}, { get: (_, name) => this.#reference(String(name)) });
    return { isolate, guest, memoryMiB, host: {} } as unknown as BootedIsolate;
  }

  get host(): HostFunctions {
    return this.booted.host;
  }

  /** The engine gives it up. */
  die(): void {
    this.isDisposed = true;
    for (const each of this.inside.splice(0)) each.fail();
  }

  #touch(): void {
    this.beforeMeter();
    if (this.isDisposed) throw new TypeError("Isolate is disposed");
  }

  #asIsolate(): ivm.Isolate {
    const script = {
      runSync: () => this.#reference("script"),
      release: () => {},
    };
    const compiled = (): typeof script => {
      this.onCompile();
      return script;
    };
    const touched = <T>(value: () => T): T => {
      this.#touch();
      return value();
    };
    const fake = {
      getHeapStatisticsSync: () =>
        touched(() => ({
          used_heap_size: this.heapBytes,
          externally_allocated_size: this.externalBytes,
          heap_size_limit: memoryMiB * MiB,
        })),
      dispose: () => touched(() => this.die()),
      compileScriptSync: compiled,
      compileScript: () => Promise.resolve(compiled()),
    };
    Object.defineProperty(fake, "isDisposed", { get: () => this.isDisposed });
    Object.defineProperty(fake, "cpuTime", { get: () => touched(() => BigInt(this.cpuMs * 1e6)) });
    return fake as unknown as ivm.Isolate;
  }

  #reference(entry: string): AnyReference {
    // The first call of a target, which also gives it its number, is a call.
    const name = entry === "callFirst" ? "call" : entry;
    return {
      applySync: (_: unknown, args: readonly unknown[]) => {
        if (this.isDisposed) throw new TypeError("Isolate is disposed");
        const answer = this.guest(name, args);
        if (this.isDisposed) throw new TypeError("Isolate was disposed during execution");
        return answer;
      },
      apply: (_: unknown, args: readonly unknown[]) => this.#enter(name, args),
      derefInto: () => ({}),
      release: () => {},
    } as unknown as AnyReference;
  }

  #enter(name: string, args: readonly unknown[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const fail = (): void => reject(new TypeError("Isolate is disposed"));
    if (this.isDisposed) fail();
    else {
      const answer = (value: unknown): void => resolve(name === "script" ? this.#reference(name) : value);
      this.inside.push({ name, args, fail, answer });
    }
    return promise;
  }
}

/** What a guest runtime answers where all is well. */
export const usual: Readonly<Record<string, unknown>> = {
  load: "V[]",
  reload: "V[]",
  settleReload: true,
  call: 1,
  collect: "P",
  manage: "V[]",
  probe: 1,
  retire: true,
  turn: false,
  changes: "",
  processUsage: "0 0 0",
};
