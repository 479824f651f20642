// The files of a data folder, which nothing that is written for a user may replace.
import { join } from "node:path";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { identityOf, isSameFile } from "../../store/folder/file-identity.ts";
import { fileNames } from "../../store/folder/schema.ts";

const { database, lock, owner } = fileNames;
const ownFiles = [database, `${database}-wal`, `${database}-shm`, lock, owner];

/** Throws where the place to write to is one of the folder's own files. `option` is the one that names it. */
export function refuseOwnFile(folder: string, output: string, option: string): void {
  const file = identityOf(output);
  const own = ownFiles.find((name) => isSameFile(file, identityOf(join(folder, name))));
  if (own === undefined) return;
  const rule = "it must be no file of the data folder itself";
  throw new InvalidOptionsError(`Cannot write to ${show(output)} as ${rule}: got its ${own}`, option);
}
