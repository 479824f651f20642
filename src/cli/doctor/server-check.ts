// What other commands find of servers on this machine: which one they use, whether it answers, and which file they do not use.
import type { Clock, Health } from "../../index.ts";
import { asVivariumError } from "../../model/errors.ts";
import { millisecondsText } from "../display/units.ts";
import type { FoundServer, ServersHere } from "../place/server-file.ts";
import type { Check } from "./checks.ts";

export interface ServerCheckOptions {
  readonly here: ServersHere;
  readonly clock: Clock;
  /** Asks it whether it is well. */
  readonly ask: (server: FoundServer) => Promise<Pick<Health, "status">>;
}

const name = "Local server";

export async function serverChecks({ here, clock, ask }: ServerCheckOptions): Promise<readonly Check[]> {
  const checks = here.refused.map(({ path, why }): Check => {
    const advice = "Remove it, and start vivarium serve again.";
    return { name, verdict: "warn", found: `${path} is not used: ${why}`, advice };
  });
  const [first, ...others] = here.running;
  if (first === undefined)
    return checks.length > 0 ? checks : [{ name, verdict: "ok", found: "none of this user runs here" }];
  const startMs = clock.monotonic();
  const at = `${first.url}, process ${first.pid}`;
  const more = others.length === 0 ? "" : `; not used: ${others.map(({ url }) => url).join(", ")}`;
  try {
    const { status } = await ask(first);
    const took = millisecondsText(clock.monotonic() - startMs);
    return [...checks, { name, verdict: "ok", found: `${at}, answers in ${took}: ${status}${more}` }];
  } catch (thrown) {
    const found = `${at}, does not answer: ${asVivariumError(thrown).message}${more}`;
    const advice = "Commands use it all the same: end its process, or give them --url or --data.";
    return [...checks, { name, verdict: "warn", found, advice }];
  }
}
