// What an error of SQLite or of the file system means for a data folder.
import { VivariumError } from "../../model/errors.ts";

/** The primary result codes that are looked at. */
export const sqliteCodes = {
  perm: 3,
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  notDatabase: 26,
} as const;

const diskCodes: ReadonlySet<number> = new Set(Object.values(sqliteCodes));

/** The primary code of an error of SQLite; undefined for any other error. */
export function primaryCode(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** The folder is not where it was opened, or not the same. */
export class MovedError extends VivariumError {
  constructor(path: string) {
    const rule = "it must be the one that was opened: the folder was removed or replaced";
    super("STORE_FAILED", `Cannot write to the data folder "${path}" as ${rule}`);
  }
}

/** Whether the disk, the folder or another program is at fault, so that the same request may succeed later. */
export function isDiskError(error: unknown): boolean {
  if (error instanceof VivariumError) return error.code !== "INTERNAL";
  const code = primaryCode(error);
  if (code !== undefined) return diskCodes.has(code);
  // Of the file system.
  return typeof (error as { readonly errno?: unknown }).errno === "number";
}

/** The error of a request. */
export function requestError(path: string, error: unknown): VivariumError {
  if (error instanceof VivariumError) return error;
  const advice = isDamage(error) ? `; ${damageAdvice}` : "";
  const message = `Cannot use the data folder "${path}" as its database failed: ${wordsOf(error)}${advice}`;
  return new VivariumError("STORE_FAILED", message);
}

/** The error of a folder that cannot be opened, with what to do about it. */
export function openError(path: string, error: unknown): VivariumError {
  if (error instanceof VivariumError) return error;
  const why = isDamage(error)
    ? `its database must be whole: ${wordsOf(error)}; ${damageAdvice}`
    : isFull(error)
      ? `the disk must have room: ${wordsOf(error)}`
      : `it must be a folder, or a path for a new one, that this process may read and write: ${wordsOf(error)}`;
  return new VivariumError("STORE_FAILED", `Cannot open the data folder "${path}" as ${why}`);
}

const damageAdvice =
  "`vivarium store check` says what is damaged, and `vivarium store repair` saves what can be saved";

// SQLite and the file system say it each in their own way.
function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return primaryCode(error) === sqliteCodes.full || code === "ENOSPC" || code === "EDQUOT";
}

/** Whether a part of the database cannot be read as what it must be. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === sqliteCodes.corrupt || code === sqliteCodes.notDatabase;
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
