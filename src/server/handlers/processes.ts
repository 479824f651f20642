// Processes of guests: what there are, what is said to them, and their states.
import type { WireMessage } from "../../contract/run-bodies.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { Caller } from "../gate.ts";
import type { Handlers } from "../handler.ts";
import { decoded, toWireOutcome } from "../http/values.ts";

export const processHandlers: Handlers<
  "listProcesses" | "ask" | "send" | "checkpoint" | "captureState" | "restoreState"
> = {
  listProcesses: async ({ parts, params, query, signal }) => ({
    processes: await (await parts.runtime.get(params.id)).processes({ ...query, signal }),
  }),
  ask: async ({ parts, caller, params, body, signal }) => {
    const { name, message, bounds } = await readMessage(caller, body);
    const sandbox = await parts.runtime.get(params.id);
    parts.gate.countEvaluations(caller);
    return toWireOutcome(await sandbox.ask(name, message, { ...bounds, signal }));
  },
  send: async ({ parts, caller, params, body, signal }) => {
    const { name, message, bounds } = await readMessage(caller, body);
    const sandbox = await parts.runtime.get(params.id);
    parts.gate.countEvaluations(caller);
    return toWireOutcome(await sandbox.send(name, message, { ...bounds, signal }));
  },
  checkpoint: async ({ parts, params, body, signal }) =>
    (await parts.runtime.get(params.id)).checkpoint({ ...body, signal }),
  captureState: async ({ parts, params, query, signal }) =>
    (await parts.runtime.get(params.id)).captureState({ ...query, signal }),
  restoreState: async ({ parts, params, body, signal }) => {
    const { state, ...bounds } = body;
    return (await parts.runtime.get(params.id)).restoreState(state, { ...bounds, signal });
  },
};

async function readMessage(caller: Caller, { name, message, messageEncoded, ...bounds }: WireMessage) {
  if (messageEncoded === undefined) return { name, message, bounds };
  if (message !== undefined) {
    const rule = "there must be one of message and messageEncoded";
    throw new InvalidOptionsError(`Cannot use message as ${rule}: got both`, "message");
  }
  return { name, message: await decoded(caller, messageEncoded, "messageEncoded"), bounds };
}
