// How large the files of a data folder are.
import { statSync } from "node:fs";
import { databaseIn } from "./open-reading.ts";

export interface FileSizes {
  readonly databaseBytes: number;
  /** Of what was written and is not yet in the database's own file. */
  readonly walBytes: number;
}

export function fileSizes(path: string): FileSizes {
  const file = databaseIn(path);
  return {
    databaseBytes: statSync(file).size,
    walBytes: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
  };
}
