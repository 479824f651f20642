// The plain Node process of the reference: imports the graphs that it is sent, and answers what it saw.
import { pathToFileURL } from "node:url";
import { nameOf } from "./graph.ts";
import { failureOf, type Observation } from "./observation.ts";
import type { Question } from "./node-reference.ts";

process.on("message", (question: Question) => {
  void observe(question).then((observation) => process.send?.(observation));
});

async function observe({ folder, count, bumps }: Question): Promise<Observation> {
  const load = (name: string): Promise<Record<string, () => unknown>> =>
    import(pathToFileURL(`${folder}/${name}`).href) as never;
  try {
    await load("all.js");
    const { read } = await load("log.js");
    for (const index of bumps) (await load(nameOf(index)))[`bump${index}`]?.();
    const peeks: (readonly unknown[])[] = [];
    for (let index = 0; index < count; index++)
      peeks.push((await (await load(nameOf(index)))[`peek${index}`]?.()) as readonly unknown[]);
    return { ok: true, log: [...((read?.() ?? []) as readonly string[])], peeks };
  } catch (error) {
    // What the modules of a failed graph still have to do must not get into the log of the next.
    await new Promise((resolve) => setImmediate(resolve));
    const { name, message } = error as Error;
    return failureOf(name, message);
  }
}
