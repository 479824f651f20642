// Sessions: scripts that follow each other, between requests.
import type { ScriptLine } from "../../contract/run-bodies.ts";
import type { LogLine } from "../../index.ts";
import type { Handlers } from "../handler.ts";
import { HeldSession, OutputRoute } from "../held/held-session.ts";
import { Lines } from "../http/lines.ts";
import { pushed } from "../http/pushed.ts";
import { readArgs, toWireOutcome } from "../http/values.ts";
import { specFor, withRoom } from "./specs.ts";

export const sessionHandlers: Handlers<"openSession" | "runScript" | "closeSession"> = {
  openSession: async ({ parts, caller, body, signal }) => {
    const { id, spec, need } = specFor(parts, caller, body);
    const slot = parts.sessions.take(caller, parts.gate);
    try {
      const route = new OutputRoute();
      const { onOutput } = route;
      return await withRoom(parts, { caller, needs: [need] }, async () => {
        const session = await parts.runtime.session({ ...spec, id, onOutput, signal });
        // At once, so that it ends with its sandbox or the server from now on.
        const held = new HeldSession(session, route, parts.bounds.sessionIdleMs);
        return { sessionId: slot.hold(held), sandboxId: session.id };
      });
    } catch (error) {
      slot.release();
      throw error;
    }
  },
  runScript: async ({ parts, caller, params, body, signal, wantsLines }) => {
    const { source, args, argsEncoded, ...bounds } = body;
    const { sessions, gate } = parts;
    const { sessionId } = params;
    const options = { ...bounds, ...(await readArgs(caller, { args, argsEncoded })) };
    const run = (ended: AbortSignal, onOutput?: (line: LogLine) => void) =>
      sessions.use(caller, sessionId, async (held) => {
        gate.countEvaluations(caller);
        return toWireOutcome(await held.run(source, { ...options, signal: ended }, onOutput));
      });
    if (!wantsLines) return run(signal);
    sessions.require(caller, sessionId);
    return new Lines<ScriptLine>((ended) =>
      pushed(ended, async (push: (line: ScriptLine) => void, cut) => ({
        type: "outcome",
        outcome: await run(cut, (line) => push({ type: "output", line })),
      })),
    );
  },
  closeSession: async ({ parts, caller, params, query }) =>
    parts.sessions.remove(caller, params.sessionId).end(query),
};
