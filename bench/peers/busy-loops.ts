// Processes that never wait, so that the machine has other work.
import { spawn } from "node:child_process";
import { once } from "node:events";

// They end with the process that started them, whichever way that ends.
const program = `
const parent = process.ppid;
let sum = 0;
while (process.ppid === parent) for (let i = 0; i < 1e6; i++) sum = (sum * 31 + i) | 0;`;

export function startBusyLoops(count: number): AsyncDisposable {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ["-e", program], { stdio: "ignore" }),
  );
  return {
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(children.map(async (child) => child.signalCode ?? once(child, "exit")));
    },
  };
}
