// The writer thread of a data folder, which ends as a failed one would when a test says so.
import { workerData } from "node:worker_threads";

const { path } = workerData as { readonly path: string };
const channel = new BroadcastChannel(path);
channel.addEventListener("message", () => process.exit(1));
channel.unref();
await import("../../src/store/folder/writer-thread.ts");
