// A thread of the orchestrator that enters the jail and then starts children: filters and Landlock apply per thread and are
// inherited, so its children start inside while the other threads stay free. It runs as long as they do.
import { getSystemErrorName } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { VivariumError } from "../../model/errors.ts";
import { wordsOf } from "../../std/descriptors.ts";
import { openKernel, type Kernel } from "../../std/kernel.ts";
import { bindTether } from "../../std/tether.ts";
import { endInWords } from "./child.ts";
import { inheritedFilter } from "../filters.ts";
import { restrain } from "../landlock.ts";
import { startChild } from "./plain-spawner.ts";
import { applyFilter } from "../seal.ts";
import type { SpawnRequest, ThreadData, ThreadReport } from "./thread-messages.ts";

const { layers, paths, user } = workerData as ThreadData;
const setNoNewPrivileges = 38;
const onThisThread = 0;

const kernel = jailThisThread();
send({ t: "entered" });
parentPort?.on("message", start);

// A thread that cannot enter a planned layer must not start anything.
function jailThisThread(): Kernel {
  const kernel = openKernel();
  if (kernel === undefined)
    throw new VivariumError("JAIL_INCOMPLETE", "Cannot enter the jail as this Node cannot make system calls");
  kernel.call("prctl", setNoNewPrivileges, 1);
  if (layers.includes("landlock")) check("Landlock", restrain(kernel, paths));
  if (layers.includes("filter"))
    check("the filter", applyFilter(kernel, inheritedFilter(kernel.arch), onThisThread));
  return kernel;
}

function check(what: string, result: number): void {
  if (result !== 0)
    throw new VivariumError(
      "JAIL_INCOMPLETE",
      `Cannot enter the jail as ${what} was refused: ${getSystemErrorName(result)}`,
    );
}

function start({ id, settings, pipeFd, tetherFd }: SpawnRequest): void {
  try {
    const { child, said } = startChild(settings, user, { pipe: pipeFd, tether: tetherFd });
    const { pid } = child;
    if (pid !== undefined) bindTether(kernel, tetherFd, { pid, isLeader: settings.isLeader === true });
    child.on("error", (error) => send({ t: "failed", id, message: wordsOf(error) }));
    if (pid === undefined) return;
    send({ t: "started", id, pid });
    child.on("exit", (code, signal) => send({ t: "ended", id, how: endInWords(code, signal), said: said() }));
  } catch (error) {
    send({ t: "failed", id, message: wordsOf(error) });
  }
}

function send(report: ThreadReport): void {
  parentPort?.postMessage(report);
}
