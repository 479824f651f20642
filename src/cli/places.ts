// Paths that a user names: what is wrong with one is said in plain words, as the user's mistake.
import { readFileSync, statSync } from "node:fs";
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is none",
  ENOTDIR: "a folder of its path is a file",
  EEXIST: "there is a file in its place",
  EISDIR: "it is a folder",
  EACCES: "this user has no right to it",
  EPERM: "this user has no right to it",
  ENOSPC: "the disk is full",
};

/** Why a path cannot be used, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const { code = "" } = error as { readonly code?: string };
  return words[code] ?? String(error).split("\n", 1)[0] ?? "";
}

/** The text of a file that the user named. */
export function readNamed(what: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw mistaken({ what, path, rule: "a file" }, reasonOf(error));
  }
}

/** That there is a file, which is read later. */
export function requireFile(what: string, path: string): void {
  try {
    if (!statSync(path).isDirectory()) return;
  } catch (error) {
    throw mistaken({ what, path, rule: "a file" }, reasonOf(error));
  }
  throw mistaken({ what, path, rule: "a file" }, "it is a folder");
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
