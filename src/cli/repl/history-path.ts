// Where the history of the console is: among what a user's programs remember from one start to the next.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** `XDG_STATE_HOME` says where; a relative path there means nothing. */
export function historyPathOf(env: NodeJS.ProcessEnv): string {
  const { XDG_STATE_HOME: named = "" } = env;
  const folder = isAbsolute(named) ? named : join(homedir(), ".local", "state");
  return join(folder, "vivarium", "repl-history");
}
