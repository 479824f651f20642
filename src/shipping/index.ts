// The "./client/files" entry: what the client loads where a file of this machine is to travel. Not for users.
export { files } from "./reading.ts";
export type { Files, ReadFolder } from "../client/wire/files.ts";
export type { WireModules } from "../contract/run-bodies.ts";
