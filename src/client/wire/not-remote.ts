// What cannot travel, and what to do instead.
import { VivariumError } from "../../model/errors.ts";

/** The error of what cannot be asked for from elsewhere; `what` continues "Cannot", `rule` "as it must". */
export function notRemote(what: string, rule: string): VivariumError {
  return new VivariumError("NOT_REMOTE", `Cannot ${what} as it must ${rule}`);
}

const onServer = "be done in the process of the server: it is elsewhere";

/** Throws where one of these options is given. */
export function refuseOptions(options: unknown, advice: Readonly<Record<string, string>>): void {
  if (typeof options !== "object" || options === null) return;
  for (const [name, instead] of Object.entries(advice)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== false) throw notRemote(`use ${name}`, `${onServer}; ${instead}`);
  }
}

/** What to do instead of the functions of reloads. */
export const reloadAdvice = {
  verify: "look at the sandboxes after the reload and roll back where they do not please",
  migrate: "write migrations in the module of the server whose state changes",
};
