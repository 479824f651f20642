// A program that owns the data folder of its argument until it is killed, or the process that started it is gone. Started by
// owners.ts.
import { counter, next, open } from "./folders.ts";

process.once("disconnect", () => process.exit());
const { runtime } = await open(process.argv[2] ?? "");
await next(await runtime.create("counter", counter()));
process.send?.("open");
