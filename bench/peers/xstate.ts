// XState's actors in plain Node: the nearest thing to processes that there is without a sandbox.
import { createActor, fromTransition, type AnyActor } from "xstate";
import { answer } from "./child.ts";

const MB = 1e6;
const counter = fromTransition((count: number, _event: { readonly type: "add" }) => count + 1, 0);
const kept: AnyActor[] = [];
const actor = createActor(counter).start();

answer({
  /** Messages a second to one actor. */
  messages(count: number): number {
    const startedMs = performance.now();
    for (let sent = 0; sent < count; sent++) actor.send({ type: "add" });
    return count / ((performance.now() - startedMs) / 1_000);
  },
  /** Actors a second that are started, have done something, and are stopped. */
  spawn(count: number): number {
    const startedMs = performance.now();
    const actors = Array.from({ length: count }, () => createActor(counter).start());
    for (const one of actors) one.send({ type: "add" });
    for (const one of actors) one.stop();
    return count / ((performance.now() - startedMs) / 1_000);
  },
  /** The resident memory that so many idle actors add, in MB. */
  idle(count: number): number {
    const beforeBytes = process.memoryUsage.rss();
    for (let made = 0; made < count; made++) kept.push(createActor(counter).start());
    return (process.memoryUsage.rss() - beforeBytes) / MB;
  },
});
