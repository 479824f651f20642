// The reference: the same tests in V8's own modules, with nothing of ours around them, in child processes that may hang or die.
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Case } from "./case.ts";

/** Whether V8 passes a test as a module, and if not, whether it does as a script. */
export type ReferenceVerdict = "module" | "script" | "neither";

// isolated-vm cannot import later, so that some tests are tried with Node's own vm as well.
const execArgv = ["--no-node-snapshot", "--experimental-vm-modules", "--no-warnings"];
const deadlineMs = 60_000;

/** One process that answers one question at a time, and is replaced when it does not. */
export class Reference implements AsyncDisposable {
  #child: ChildProcess | undefined;

  async ask(test: Case): Promise<ReferenceVerdict> {
    const child = (this.#child ??= this.#start());
    const { promise, resolve } = Promise.withResolvers<ReferenceVerdict | undefined>();
    const lost = (): void => resolve(undefined);
    child.once("message", resolve);
    child.once("exit", lost);
    const timer = setTimeout(lost, deadlineMs);
    child.send(test);
    const verdict = await promise;
    clearTimeout(timer);
    child.off("message", resolve).off("exit", lost);
    if (verdict === undefined) await this.#end();
    return verdict ?? "neither";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #start(): ChildProcess {
    const path = fileURLToPath(new URL("reference-process.ts", import.meta.url));
    return fork(path, { execArgv, stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced" });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }
}
