// Serves the dashboard with an evolution that was recorded, to whoever has the token of the link. Nothing can be done there.
import { idleClock } from "../std/clock.ts";
import { Access } from "./access/access.ts";
import { RequestRefusedError } from "./access/refusals.ts";
import { dashboardFiles } from "./dashboard.ts";
import { answerHeaders } from "./guard/guard.ts";
import { problemResponse } from "./http/problems.ts";
import type { Served } from "./listen.ts";

const dumpPath = "/dump.json";

/** `dump` is its document as JSON. */
export function serveRecorded(dump: string): Served {
  const files = dashboardFiles({ source: "dump" });
  const gate = new Access({}, idleClock);
  const bytes = new TextEncoder().encode(dump);
  const refused = (): Promise<never> =>
    Promise.reject(
      new RequestRefusedError("Cannot answer as there must be a runtime: this is a recorded evolution", 404),
    );
  return {
    fetch: async (request) => {
      try {
        if (new URL(request.url).pathname !== dumpPath) return await files.answer(request);
        gate.authenticate(request);
        return new Response(bytes, {
          headers: {
            ...answerHeaders,
            "content-type": "application/json",
            "content-length": String(bytes.length),
          },
        });
      } catch (error) {
        return problemResponse(error);
      }
    },
    close: () => Promise.resolve(gate.close()),
    runtime: { health: refused, metrics: refused },
    gate,
    token: gate.generatedToken,
  };
}
