// A writer thread that opens and then answers nothing; it ends when a test says so.
import { parentPort, workerData } from "node:worker_threads";

const { path } = workerData as { readonly path: string };
const channel = new BroadcastChannel(path);
channel.addEventListener("message", () => process.exit(1));
parentPort?.on("message", () => {});
parentPort?.postMessage({ kind: "opened" });
