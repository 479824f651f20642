// Guests with processes that several tests use.

/** Everything that a guest may import of processes. */
export const processImports = `import * as guest from "vivarium/guest";
import { ask, cast, exit, link, monitor, demonitor, processInfo, register, self, send, sendAfter, cancelTimer, server, spawn, start,
  supervisor, trapExits, unlink, unregister, whereis, children, startChild, stopChild, deleteChild, restartChild } from "vivarium/guest";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

/** A server that others are after, under a supervisor. */
export const victim = `
import * as guest from "vivarium/guest";
import { ask, cast, exit, link, monitor, register, send, self, server, spawn, supervisor, trapExits, whereis } from "vivarium/guest";
export const Victim = server({ name: "victim", init: () => ({ secret: "hidden" }),
  handleCall: (message, state) => ({ reply: "victim", state }) });
export default supervisor({ children: [{ id: "victim", start: Victim }] });
const refused = (act) => { try { act(); return "done"; } catch (error) { return error.name; } };
`;

/** A server with a schema of this version; `more` are its fields and migrations. */
export const schemed = (
  version: number,
  { fields = "", migrations = "", init = "{ count: 0 }", more = "" } = {},
): string => `
import { server, supervisor } from "vivarium/guest";
const Counter = server({ name: "counter", init: () => (${init}),
  handleCall: (message, state) => message === "get" ? { reply: state, state } : { reply: null, state: message },
  schema: { version: ${version}, fields: { ${fields} } }, migrations: [${migrations}], ${more} });
export default supervisor({ restartsMax: 20, children: [{ id: "counter", start: Counter }] });`;

/** One migration, for `schemed`. */
export const migrationStep = (versions: string, up: string, down?: string): string =>
  `{ ${versions}, up: (state) => (${up})${down === undefined ? "" : `, down: (state) => (${down})`} },`;
