// The writer thread of a data folder, which is slow or ends when a test says so. Started by writers.ts.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { workerData } from "node:worker_threads";
import type { Fault } from "./writers.ts";

const slowMs = 500;
const { path } = workerData as { readonly path: string };
const sleeping = new Int32Array(new SharedArrayBuffer(4));
let fault: Fault = "quick";

const channel = new BroadcastChannel(path);
channel.addEventListener("message", ({ data }) => {
  fault = data as Fault;
  channel.postMessage("heard");
  if (fault === "throw") throw new Error("the test wants it");
});
channel.unref();

// What is prepared is prepared as always; only the statement that commits is another.
// oxlint-disable-next-line typescript/unbound-method -- it is called on the database below
const { prepare } = DatabaseSync.prototype;
const changesSandboxes = /^(INSERT|UPDATE|DELETE).* (sandboxes|states) /;
/** Something about a sandbox is in the transaction; others, which nobody waits for, come at any time. */
let isAboutSandboxes = false;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string, ...more) {
  const statement = prepare.call(this, text, ...more);
  const run = statement.run.bind(statement);
  if (changesSandboxes.test(text))
    // The folder passes values in their order.
    statement.run = ((...values: SQLInputValue[]) => {
      isAboutSandboxes = true;
      return run(...values);
    }) as typeof run;
  else if (text === "COMMIT") statement.run = () => commit(run);
  return statement;
};

function commit<T>(run: () => T): T {
  const isMeant = isAboutSandboxes;
  isAboutSandboxes = false;
  if (fault === "slow") Atomics.wait(sleeping, 0, 0, slowMs);
  if (fault === "before" && isMeant) process.exit(1);
  const done = run();
  if (fault === "after" && isMeant) process.exit(1);
  return done;
}

await import("../../../src/store/folder/writer-thread.ts");
