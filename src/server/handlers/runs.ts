// Runs: calls, scripts and functions, recordings, streams and one source once.
import { functionFromSource } from "../../model/runs/function-source.ts";
import type { PartLine, OnceLine } from "../../contract/run-bodies.ts";
import { toWireValue } from "../../contract/values.ts";
import type { LogLine } from "../../index.ts";
import { CancelledError, InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Asked, Handlers } from "../handler.ts";
import { HeldStream } from "../held/held-stream.ts";
import { Lines } from "../http/lines.ts";
import { pushed } from "../http/pushed.ts";
import { readArgs, toWireOutcome } from "../http/values.ts";
import { withRoom } from "./specs.ts";

const partsAtOnceMax = 100;
const idleMsUsual = 60_000;

export const runHandlers: Handlers<
  "once" | "call" | "run" | "replay" | "openStream" | "nextParts" | "closeStream"
> = {
  once: async (asked) => {
    const { parts, caller, signal } = asked;
    const { runtime, gate } = parts;
    const { source, args, argsEncoded, ...given } = asked.body;
    const options = { ...gate.admit(caller, given), ...(await readArgs(caller, { args, argsEncoded })) };
    gate.countEvaluations(caller);
    // Its sandbox has no name that anybody could ask for.
    const needs = [{ id: gate.newId(caller), memoryBytes: gate.memoryOf(options) }];
    if (!asked.wantsLines)
      return withRoom(parts, { caller, needs }, async () =>
        toWireOutcome(await runtime.once(source, { ...options, signal })),
      );
    return new Lines<OnceLine>((ended) =>
      pushed(ended, (push: (line: OnceLine) => void, cut) =>
        withRoom(parts, { caller, needs }, async () => {
          const onOutput = (line: LogLine): void => push({ type: "output", line });
          const outcome = await runtime.once(source, { ...options, onOutput, signal: cut });
          return { type: "outcome", outcome: toWireOutcome(outcome) };
        }),
      ),
    );
  },
  call: async ({ parts, caller, params, body, signal }) => {
    const { target, args, argsEncoded, record, ...bounds } = body;
    const sandbox = await parts.runtime.get(params.id);
    const options = { ...bounds, ...(await readArgs(caller, { args, argsEncoded })), signal };
    parts.gate.countEvaluations(caller);
    // The runtime checks what the text is.
    const name = target as `${string}.${string}`;
    return record === undefined
      ? toWireOutcome(await sandbox.call(name, options))
      : toWireOutcome(await sandbox.call(name, { ...options, record }));
  },
  run: async ({ parts, caller, params, body, signal }) => {
    const { args, argsEncoded, ...given } = body;
    const sandbox = await parts.runtime.get(params.id);
    const encoded = await readArgs(caller, { args, argsEncoded });
    parts.gate.countEvaluations(caller);
    if ("source" in given) {
      const { source, ...bounds } = given;
      return toWireOutcome(await sandbox.run(source, { ...bounds, ...encoded, signal }));
    }
    const { function: text, ...bounds } = given;
    return toWireOutcome(
      await sandbox.run<never, readonly unknown[]>(functionFromSource(text), {
        ...bounds,
        ...encoded,
        signal,
      }),
    );
  },
  replay: async ({ parts, caller, params, body, signal }) => {
    const { recording, ...bounds } = body;
    const sandbox = await parts.runtime.get(params.id);
    parts.gate.countEvaluations(caller);
    const replay = await sandbox.replay(recording, { ...bounds, signal });
    return { ...replay, outcome: toWireOutcome(replay.outcome) };
  },
  openStream,
  nextParts: async ({ parts, caller, params, body, signal }) => {
    const { count = 1 } = body;
    if (!Number.isInteger(count) || count < 1 || count > partsAtOnceMax) {
      const rule = `a whole number of 1–${partsAtOnceMax}`;
      throw new InvalidOptionsError(`Cannot use count as it must be ${rule}: got ${show(count)}`, "count");
    }
    const { streams, gate } = parts;
    const { streamId } = params;
    return streams.use(caller, streamId, async (held) => {
      gate.countEvaluations(caller, count);
      try {
        const answer = await held.next(count, signal);
        if (answer.done) streams.drop(streamId);
        return answer;
      } catch (error) {
        streams.drop(streamId);
        throw error;
      }
    });
  },
  closeStream: async ({ parts, caller, params }) => parts.streams.remove(caller, params.streamId).end(),
};

async function openStream(
  asked: Asked<"openStream">,
): Promise<{ readonly streamId: string } | Lines<PartLine>> {
  const { parts, caller, params, signal: ended, wantsLines } = asked;
  const { target, args, argsEncoded, ...bounds } = asked.body;
  const sandbox = await parts.runtime.get(params.id);
  const options = { ...bounds, ...(await readArgs(caller, { args, argsEncoded })) };
  // The runtime checks what the text is.
  const name = target as `${string}.${string}`;
  if (wantsLines) {
    const end = new AbortController();
    const stream = sandbox.stream(name, { ...options, signal: end.signal });
    return new Lines(async function* (signal): AsyncGenerator<PartLine> {
      const onAbort = (): void => end.abort(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        for (;;) {
          parts.gate.countEvaluations(caller);
          const { done, value } = await stream.next();
          yield { type: done === true ? "returned" : "part", ...toWireValue(value, Infinity, "kept") };
          if (done === true) return;
        }
      } finally {
        signal.removeEventListener("abort", onAbort);
        void stream.return().catch(() => {});
      }
    });
  }
  // Whoever is gone never learns its name.
  if (ended.aborted) throw new CancelledError("the request", "its connection was closed");
  const slot = parts.streams.take(caller, parts.gate);
  try {
    const begin = (signal: AbortSignal) => sandbox.stream(name, { ...options, signal });
    const about = { sandboxId: sandbox.id, idleMs: options.idleMs ?? idleMsUsual };
    return { streamId: slot.hold(new HeldStream(begin, about)) };
  } catch (error) {
    slot.release();
    throw error;
  }
}
