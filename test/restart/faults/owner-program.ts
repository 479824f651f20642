// A program that owns the data folder of its argument until it is killed. Started by owners.ts.
import { counter, next, open } from "./folders.ts";

const { runtime } = await open(process.argv[2] ?? "");
await next(await runtime.create("counter", counter()));
process.send?.("open");
