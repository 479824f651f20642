// Stands in for the thread that starts children: it takes as long to enter the jail as the test wants, and holds a descriptor
// meanwhile that only it can close.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData, ThreadReport } from "../../src/jail/spawn/thread-messages.ts";
import { openKernel } from "../../src/std/kernel.ts";

const { paths } = workerData as ThreadData; // Given by the test.
const folder = paths.read[0] ?? "";
const kernel = openKernel();
const fd = kernel?.call("memfd_create", Buffer.from("held\0"), 0) ?? -1;
writeFileSync(join(folder, "begun"), String(fd));
while (!existsSync(join(folder, "go-on")));
kernel?.call("close", fd);
const entered: ThreadReport = { t: "entered" };
parentPort?.postMessage(entered);
parentPort?.on("message", () => {});
