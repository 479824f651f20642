// The messages of a guest's server reach its callers on the host with their types.
import type { Outcome, Sandbox } from "vivarium";
import { server, supervisor, type ChildSpec } from "vivarium/guest";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_Holds extends true>(): void {}

export const Counter = server({
  init: (start: number) => ({ count: start }),
  handleCall(message: { t: "get" } | { t: "add"; by: number }, state: { count: number }) {
    const count = message.t === "add" ? state.count + message.by : state.count;
    return { reply: count, state: { count } };
  },
  handleCast(message: "reset", _state: { count: number }) {
    return { state: { count: message.length * 0 } };
  },
});

export const tree = supervisor({
  children: [
    { id: "kept", start: Counter, restartFrom: "last" },
    { id: "new", start: Counter, restart: "transient", restartFrom: "init" },
    // @ts-expect-error neither the one nor the other
    { id: "wrong", start: Counter, restartFrom: "checkpoint" },
  ],
});
expectType<Equal<ChildSpec["restartFrom"], "init" | "last" | undefined>>();

export async function useOf(sandbox: Sandbox): Promise<void> {
  const answered = await sandbox.ask<typeof Counter>("counter", { t: "add", by: 1 });
  expectType<Equal<typeof answered, Outcome<number>>>();
  await sandbox.send<typeof Counter>("counter", "reset");
  // @ts-expect-error a message that the server does not know
  await sandbox.ask<typeof Counter>("counter", { t: "multiply" });
  // @ts-expect-error a call is no cast
  await sandbox.send<typeof Counter>("counter", { t: "get" });
  const untyped = await sandbox.ask("counter", { anything: true });
  expectType<Equal<typeof untyped, Outcome<unknown>>>();
}
