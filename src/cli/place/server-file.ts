// How commands find the servers that the same user has started on this machine: a file for each that nobody else can read, written
// by `vivarium serve` and removed when it ends. What a killed one left is recognised and removed.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface FoundServer {
  readonly url: string;
  /** Null where its tokens were given as a list that has none for everything in plain. */
  readonly token: string | null;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** When the system started its process, in the system's own words: another one may get the same number later. */
  readonly process: string | null;
}

/** What is there of servers. */
export interface ServersHere {
  /** Those that run, the first that was started first: that is the one which commands use. */
  readonly running: readonly FoundServer[];
  /** Files that are not used, with the reason as the end of a sentence. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

const privateMode = 0o600;
const othersMask = 0o077;
const fileName = /^server-\d+\.json$/;

/** Where the files are. */
export function serversFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_RUNTIME_DIR: runtime = "", XDG_STATE_HOME: state = "", HOME: home } = env;
  // A relative path there means nothing.
  if (isAbsolute(runtime)) return join(runtime, "vivarium");
  return join(isAbsolute(state) ? state : join(home || homedir(), ".local", "state"), "vivarium");
}

/** The server that commands use; undefined where none runs. */
export function findServer(folder?: string): FoundServer | undefined {
  return lookForServers(folder).running[0];
}

/** The files of servers that run no more are removed. */
export function lookForServers(folder: string = serversFolder()): ServersHere {
  const running: FoundServer[] = [];
  const refused: { readonly path: string; readonly why: string }[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const read = readServer(path);
    if (typeof read === "string") refused.push({ path, why: read });
    else if (read === undefined) continue;
    else if (isRunning(read)) running.push(read);
    else remove(path);
  }
  return { running: running.toSorted((one, other) => one.startedAt - other.startedAt), refused };
}

/** Tells of the server of this process; returns what takes that back. */
export function tellOfServer(
  server: Omit<FoundServer, "pid" | "process">,
  folder: string = serversFolder(),
): () => void {
  const told: FoundServer = { ...server, pid: process.pid, process: processStart(process.pid) };
  const path = join(folder, `server-${process.pid}.json`);
  const draft = `${path}.part`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Anew, as the rights of a file that is there would stay.
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(told)}\n`, { mode: privateMode, flag: "wx" });
    renameSync(draft, path);
  } catch {
    // A machine without a place for it: commands are told the address.
    return () => undefined;
  }
  return () => remove(path);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => fileName.test(name));
  } catch {
    return [];
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Whoever reads it sees that it is of no use.
  }
}

// One that others could have written would have this user's commands go to their server. A text is why it is not used.
function readServer(path: string): FoundServer | string | undefined {
  try {
    const { mode, uid } = statSync(path);
    if (process.getuid !== undefined && uid !== process.getuid()) return "it is another user's";
    if ((mode & othersMask) !== 0) return "other users have rights to it";
    const read = JSON.parse(readFileSync(path, "utf8")) as Partial<FoundServer> | null;
    return read === null ? unknownForm : asServer(read);
  } catch (error) {
    // It may have been removed since it was seen.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    return unknownForm;
  }
}

const unknownForm = "it is not what vivarium serve writes";

function asServer({ url, token, pid, startedAt, process: start = null }: Partial<FoundServer>) {
  const isWhole =
    typeof url === "string" &&
    URL.canParse(url) &&
    typeof pid === "number" &&
    Number.isSafeInteger(pid) &&
    pid >= 1 &&
    typeof startedAt === "number";
  if (!isWhole) return unknownForm;
  return { url, pid, startedAt, token: typeof token === "string" ? token : null, process: start };
}

function isRunning({ pid, process: start }: FoundServer): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // There is none, or it is another user's.
    return false;
  }
  return start === null || processStart(pid) === start;
}

// The 22nd field, in ticks since the machine was started; the second, a name in parentheses, may have spaces.
function processStart(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
