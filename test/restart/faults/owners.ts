// Processes that own a data folder with a runtime, for tests that look at it from outside and kill them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** It is killed where it goes out of scope. */
export interface OwnerProcess extends AsyncDisposable {
  readonly pid: number;
  /** Kills it at once; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts one, and waits until it has the sandbox "counter" there, which has counted one message. */
export async function startOwner(path: string): Promise<OwnerProcess> {
  const program = fileURLToPath(new URL("owner-program.ts", import.meta.url));
  const child = spawn(process.execPath, [program, path], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const gone = once(child, "exit");
  await Promise.race([
    once(child, "message"),
    gone.then(([code]) => Promise.reject(new Error(`it must own the folder: it ended with ${code}`))),
  ]);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  return { pid: child.pid ?? 0, kill, [Symbol.asyncDispose]: kill };
}
