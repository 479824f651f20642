// Paths that a user names: what is wrong with one is said in plain words, as the user's mistake.
import { lstatSync, readFileSync, realpathSync, statSync, type Stats } from "node:fs";
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { reasonOf } from "./reasons.ts";

/** The text of a file that the user named. */
export function readNamed(what: string, path: string, rule = "a file"): string {
  requireFile(what, path, rule);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw mistaken({ what, path, rule }, reasonOf(error));
  }
}

/** That there is a file, which is read later. */
export function requireFile(what: string, path: string, rule = "a file"): void {
  let found: string | undefined;
  try {
    found = otherThanFile(statSync(path), path);
  } catch (error) {
    found = reasonOf(error);
  }
  if (found !== undefined) throw mistaken({ what, path, rule }, found);
}

/** What a shell opened for this process, as in `<(…)`. */
const ownDescriptor = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/;

// Nobody may ever write to a pipe, and a device may never end.
function otherThanFile(stats: Stats, path: string): string | undefined {
  if (stats.isDirectory()) return "it is a folder";
  if (stats.isFile() || ownDescriptor.test(path)) return undefined;
  return `it is a ${stats.isFIFO() ? "pipe" : stats.isSocket() ? "socket" : "device"}`;
}

/** How a file is written that the user named. */
export interface Writing {
  /** The file itself where the path is a link to it. */
  readonly file: string;
  /** Whether a draft may be moved into its place: not where there is a pipe, a device, or a link to what is not there. */
  readonly isReplaceable: boolean;
  /** The rights of the file that is replaced. */
  readonly mode?: number;
}

/** Where and how the path is written; throws what the file system says of it. */
export function writingOf(path: string): Writing {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return { file: realpathSync(path), isReplaceable: true, mode: stats.mode };
  const isNothing = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  return { file: path, isReplaceable: isNothing };
}

/** That there is a folder, or nothing yet. */
export function requireFolderOrNothing(what: string, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  throw mistaken({ what, path, rule: "a folder, or a path for a new one" }, "it is a file");
}

interface Named {
  readonly what: string;
  readonly path: string;
  readonly rule: string;
}

function mistaken({ what, path, rule }: Named, found: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use ${what} ${show(path)} as it must be ${rule}: ${found}`, what);
}
